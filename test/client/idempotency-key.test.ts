import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { idempotencyKey, type WriteContent, type WriteIdentity } from '../../src/client/idempotency-key.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { formatIdempotencyKey, parseIdempotencyKey } from '../../src/contract/idempotency.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';

const writes = interfaceEndpoints.filter(({ repetition }) => repetition.effect !== 'safe');
const words = fc.string({ minLength: 1, maxLength: 8 });
const identities: fc.Arbitrary<WriteIdentity> = fc.record({
  repository: fc.option(words, { nil: undefined }),
  runId: words,
  job: fc.option(words, { nil: undefined }),
  matrix: fc.option(fc.dictionary(words, words, { minKeys: 1 }), { nil: undefined }),
  step: fc.option(words, { nil: undefined }),
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
const executions = fc.option(words, { nil: undefined });

describe('the idempotency key', () => {
  it('is a valid key that begins with the id of the run if it is a number', () => {
    fc.assert(
      fc.property(endpoint, identities, contents, executions, (declared, identity, content, execution) => {
        const key = idempotencyKey(declared, identity, content, execution);
        const ofRun = idempotencyKey(declared, { ...identity, runId: '17000000000' }, content, execution);
        expect(ofRun).toMatch(/^17000000000-[\w-]{43}$/u);
        expect(key).toMatch(/^(?:\d{1,20}-)?[\w-]{43}$/u);
        expect(parseIdempotencyKey(formatIdempotencyKey(key))).toBe(key);
      }),
    );
  });

  it('is the same for the same step and content', () => {
    fc.assert(
      fc.property(endpoint, identities, contents, executions, (declared, identity, content, execution) => {
        const again = idempotencyKey(declared, structuredClone(identity), structuredClone(content), execution);
        expect(again).toBe(idempotencyKey(declared, identity, content, execution));
      }),
    );
  });

  it('of an attestation is the same in a re-run by another user', () => {
    fc.assert(
      fc.property(identities, contents, words, words, (identity, content, attempt, actor) => {
        const document = structuredClone(content.document) as Record<string, unknown>;
        document['origin_url'] = `https://github.com/acme/widgets/actions/runs/1/attempts/${attempt}`;
        const data = document['user_data'] as Record<string, unknown>;
        data['github'] = { run_attempt: attempt, triggering_actor: actor };
        data['idempotency_key'] = 'of-another-attempt';
        expect(idempotencyKey(attestSonar, identity, { ...content, document }, undefined)).toBe(
          idempotencyKey(attestSonar, identity, content, undefined),
        );
      }),
    );
  });

  it('is another for anything else that differs', () => {
    const identity = {
      repository: 'acme/widgets',
      runId: '7',
      job: 'build',
      matrix: { os: 'a' },
      step: 's',
    };
    const content = {
      parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
      document: { attestation_name: 'sonar', user_data: { ticket: 'ABC-1' } },
      file: ['lcov.info', 'aa'] as const,
    };
    const keyOf = (declared: Endpoint, sender: WriteIdentity, sent: WriteContent): string =>
      idempotencyKey(declared, sender, sent, undefined);
    const keys = [
      keyOf(attestSonar, identity, content),
      keyOf(createFlow, identity, content),
      ...['one', 'other'].map((execution) => idempotencyKey(attestSonar, identity, content, execution)),
      ...Object.keys(identity).map((name) => keyOf(attestSonar, { ...identity, [name]: 'other' }, content)),
      keyOf(attestSonar, identity, { ...content, parameters: { ...content.parameters, org: 'other' } }),
      keyOf(attestSonar, identity, { ...content, parameters: { ...content.parameters, trail_name: 'v2' } }),
      keyOf(attestSonar, identity, { ...content, document: { ...content.document, attestation_name: 'x' } }),
      keyOf(attestSonar, identity, { ...content, document: { ...content.document, user_data: {} } }),
      keyOf(attestSonar, identity, { ...content, file: ['lcov.info', 'bb'] }),
      keyOf(attestSonar, identity, { ...content, file: ['other.info', 'aa'] }),
      keyOf(attestSonar, identity, { ...content, file: undefined }),
      keyOf(attestSonar, identity, { ...content, query: { page: 1 } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
