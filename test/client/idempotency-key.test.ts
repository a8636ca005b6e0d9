import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ExecutionIdentity, idempotencyKey, type WriteContent } from '../../src/client/idempotency-key.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { formatIdempotencyKey, parseIdempotencyKey } from '../../src/contract/idempotency.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';

const writes = interfaceEndpoints.filter(({ repetition }) => repetition.effect !== 'safe');
const words = fc.string({ minLength: 1, maxLength: 8 });
const identities: fc.Arbitrary<ExecutionIdentity> = fc.record({
  repository: fc.option(words, { nil: undefined }),
  runId: words,
  attempt: words,
  job: fc.option(words, { nil: undefined }),
  matrix: fc.option(fc.dictionary(words, words, { minKeys: 1 }), { nil: undefined }),
  step: fc.option(words, { nil: undefined }),
  execution: words,
});
const contents: fc.Arbitrary<WriteContent> = fc.record({
  parameters: fc.record({ org: words, flow_name: words }),
  document: fc.record({
    attestation_name: words,
    origin_url: words,
    user_data: fc.record({ ticket: words, github: fc.record({ run_attempt: words, triggering_actor: words }) }),
  }),
  file: fc.option(fc.tuple(words, words), { nil: undefined }),
});
const endpoint = fc.constantFrom(...writes);

describe('the idempotency key', () => {
  it('is a valid key that begins with the id of the run if it is a number', () => {
    fc.assert(
      fc.property(endpoint, identities, contents, (declared, identity, content) => {
        const key = idempotencyKey(declared, identity, content);
        const ofRun = idempotencyKey(declared, { ...identity, runId: '17000000000' }, content);
        expect(ofRun).toMatch(/^17000000000-[\w-]{43}$/u);
        expect(key).toMatch(/^(?:\d{1,20}-)?[\w-]{43}$/u);
        expect(parseIdempotencyKey(formatIdempotencyKey(key))).toBe(key);
      }),
    );
  });

  it('is the same for the same step and content', () => {
    fc.assert(
      fc.property(endpoint, identities, contents, (declared, identity, content) => {
        const again = idempotencyKey(declared, structuredClone(identity), structuredClone(content));
        expect(again).toBe(idempotencyKey(declared, identity, content));
      }),
    );
  });

  it('of an attestation is the same in a re-run by another user', () => {
    fc.assert(
      fc.property(identities, contents, words, words, words, (identity, content, attempt, actor, execution) => {
        const document = structuredClone(content.document) as Record<string, unknown>;
        document['origin_url'] = `https://github.com/acme/widgets/actions/runs/1/attempts/${attempt}`;
        const data = document['user_data'] as Record<string, unknown>;
        data['github'] = { run_attempt: attempt, triggering_actor: actor };
        data['idempotency_key'] = 'of-another-attempt';
        expect(idempotencyKey(attestSonar, { ...identity, attempt, execution }, { ...content, document })).toBe(
          idempotencyKey(attestSonar, identity, content),
        );
      }),
    );
  });

  it.each(writes.filter(({ repetition }) => repetition.effect === 'idempotent').map((one) => [one.operation, one]))(
    'of %s is another in a re-run and in another execution, so that the state is set again',
    (_operation, declared) => {
      fc.assert(
        fc.property(
          identities,
          contents,
          fc.constantFrom('attempt', 'execution'),
          words,
          (identity, content, name, value) => {
            fc.pre(value !== identity[name]);
            expect(idempotencyKey(declared as typeof createFlow, { ...identity, [name]: value }, content)).not.toBe(
              idempotencyKey(declared as typeof createFlow, identity, content),
            );
          },
        ),
      );
    },
  );

  it('is another for anything else that differs', () => {
    const identity = {
      repository: 'acme/widgets',
      runId: '7',
      attempt: '1',
      job: 'build',
      matrix: { os: 'a' },
      step: 's',
      execution: 'e',
    };
    const content = {
      parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
      document: { attestation_name: 'sonar', user_data: { ticket: 'ABC-1' } },
      file: ['lcov.info', 'aa'] as const,
    };
    const keys = [
      idempotencyKey(attestSonar, identity, content),
      idempotencyKey(createFlow, identity, content),
      ...Object.keys(identity)
        .filter((name) => name !== 'attempt' && name !== 'execution')
        .map((name) => idempotencyKey(attestSonar, { ...identity, [name]: 'other' }, content)),
      idempotencyKey(attestSonar, identity, { ...content, parameters: { ...content.parameters, org: 'other' } }),
      idempotencyKey(attestSonar, identity, { ...content, parameters: { ...content.parameters, trail_name: 'v2' } }),
      idempotencyKey(attestSonar, identity, { ...content, document: { ...content.document, attestation_name: 'x' } }),
      idempotencyKey(attestSonar, identity, { ...content, document: { ...content.document, user_data: {} } }),
      idempotencyKey(attestSonar, identity, { ...content, file: ['lcov.info', 'bb'] }),
      idempotencyKey(attestSonar, identity, { ...content, file: ['other.info', 'aa'] }),
      idempotencyKey(attestSonar, identity, { ...content, file: undefined }),
      idempotencyKey(attestSonar, identity, { ...content, query: { page: 1 } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
