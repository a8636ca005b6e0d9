import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toAcceptedSchema, toResponseView } from '../../src/contract/accepted-response.ts';
import { artifact } from '../../src/contract/artifact.ts';
import { attestationPage, listedAttestation } from '../../src/contract/attestation-list.ts';
import { conforms, violations } from '../../src/contract/check.ts';
import { decisive, tolerant, Type, wholeSeconds } from '../../src/contract/schema.ts';
import { snapshotEntry } from '../../src/contract/snapshot.ts';
import { nearlyValidValues } from '../support/nearly-valid-values.ts';

describe('the form that a client accepts', () => {
  const declared = Type.Object({
    at: wholeSeconds(),
    ended: Type.Optional(wholeSeconds()),
    name: decisive(tolerant(Type.String(), Type.Union([Type.String(), Type.Null()]))),
    list: Type.Optional(Type.Array(Type.Object({ at: wholeSeconds() }))),
    either: Type.Optional(Type.Union([Type.Object({ at: wholeSeconds() }), Type.Null()])),
  });
  const wider = { at: 1.5, ended: 2.5, name: null, list: [{ at: 0.25 }], either: { at: 3.5 } };

  it('is wider than the declared one for tolerant fields, at any depth', () => {
    expect(violations(toAcceptedSchema(declared), wider)).toEqual([]);
    expect(violations(declared, wider).map(({ field }) => field)).toEqual([
      ...['at', 'ended', 'name', 'list.0.at', 'either.at', 'either'],
    ]);
  });

  it('is not wider elsewhere', () => {
    expect(conforms(toAcceptedSchema(declared), { ...wider, at: null })).toBe(false);
    expect(conforms(toAcceptedSchema(declared), { ...wider, name: 7 })).toBe(false);
  });
});

describe('the view of a response', () => {
  const fingerprint = 'a'.repeat(64);

  it('is the response itself if it conforms, with further keys', () => {
    const answer = { fingerprint, state: 'COMPLIANT', running: [], new_in_2027: { any: [1] } };
    expect(toResponseView(artifact, answer)).toBe(answer);
  });

  it('omits fields that do not conform and are not decisive, but is the whole response as JSON', () => {
    const answer = {
      ...{ fingerprint, state: 'COMPLIANT', filename: 7, html_url: null, evidence: ['x'], history: { at: 1 } },
      running: [{ env: 'prod' }],
      exited: [{ environment_name: 'prod', snapshot_index: 3, since: 1 }],
      git_commit_info: { sha1: 'b', timestamp: 'yesterday', url: 5 },
      another: null,
    };
    const view = toResponseView(artifact, answer);
    expect(view).toEqual({
      ...{ fingerprint, state: 'COMPLIANT', exited: answer.exited, git_commit_info: { sha1: 'b' }, another: null },
    });
    expect(JSON.stringify({ artifact: view })).toBe(JSON.stringify({ artifact: answer }));
  });

  // `user_data` may be anything.
  it.each([
    [artifact, ['id', 'fingerprint', 'flow_name', 'trail_name', 'user_data', 'state']],
    [
      listedAttestation,
      [
        ...['attestation_id', 'attestation_name', 'trail_name', 'artifact_fingerprint', 'target_artifacts'],
        ...['created_at', 'sequence', 'html_url', 'is_compliant', 'user_data'],
      ],
    ],
    [snapshotEntry, ['index', 'to', 'compliant', 'judged']],
  ])('keeps what decides, whatever its form', (schema, keys) => {
    const answer = Object.fromEntries(Object.keys(schema.properties).map((key) => [key, Number.NaN]));
    expect(toResponseView(schema, answer)).toEqual(Object.fromEntries(keys.map((key) => [key, Number.NaN])));
  });

  it('reaches into lists', () => {
    const [good, odd] = [{ attestation_id: '1' }, { attestation_id: '2', description: 5, is_compliant: 'yes' }];
    const pagination = { total: 2, page: 1, per_page: 'many', page_count: 1 };
    expect(toResponseView(attestationPage, { data: [good, odd], pagination })).toEqual({
      data: [good, { attestation_id: '2', is_compliant: 'yes' }],
      pagination: { total: 2, page: 1, page_count: 1 },
    });
  });

  it('never passes a value that the schema does not allow, except where that is an error', () => {
    const schema = Type.Object({
      list: Type.Optional(Type.Array(Type.Object({ a: Type.Integer(), b: Type.Optional(Type.String()) }))),
      either: Type.Optional(Type.Union([Type.Object({ c: Type.Optional(Type.Boolean()) }), Type.Null()])),
      free: Type.Optional(Type.Record(Type.String(), Type.Number())),
      verdict: decisive(Type.Optional(Type.Boolean())),
    });
    fc.assert(
      fc.property(nearlyValidValues(schema), (value) => {
        const [answer] = JSON.parse(JSON.stringify([value])) as readonly unknown[];
        const view = toResponseView(schema, answer);
        const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
        const decides = isObject && (!('verdict' in answer) || typeof answer.verdict === 'boolean');
        expect(conforms(schema, view)).toBe(decides);
        expect(JSON.stringify(view)).toBe(JSON.stringify(answer));
      }),
    );
  });

  it('keeps the keys __proto__ and toJSON', () => {
    const answer: unknown = JSON.parse('{"fingerprint":"x","filename":1,"__proto__":{"state":"COMPLIANT"},"toJSON":1}');
    const view = toResponseView(artifact, answer);
    expect(Object.getPrototypeOf(Object.getPrototypeOf(view))).toBeNull();
    expect(JSON.stringify(view)).toBe(JSON.stringify(answer));
  });
});
