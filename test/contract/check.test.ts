import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { artifact } from '../../src/contract/artifact.ts';
import { sonarAttestation } from '../../src/contract/attestations/sonar.ts';
import { conforms, violations } from '../../src/contract/check.ts';
import { flowPayload } from '../../src/contract/flow.ts';
import { type TSchema, Type } from '../../src/contract/schema.ts';

const closed = Type.Object({ name: Type.String() }, { additionalProperties: false });

describe('violations', () => {
  it('are empty if the value conforms', () => {
    expect(violations(closed, { name: 'web' })).toEqual([]);
  });

  it('name a missing key', () => {
    expect(violations(flowPayload, { name: 'web' })).toEqual([
      { field: 'description', rule: 'is missing' },
      { field: 'template', rule: 'is missing' },
    ]);
  });

  it('name an unknown key', () => {
    expect(violations(closed, { name: 'web', nmae: 'web' })).toEqual([{ field: 'nmae', rule: 'is not a known field' }]);
  });

  it('name keys along their path, and the index in a list', () => {
    const value = { name: 'web', description: '', template: ['unit', 'a b'] };
    expect(violations(flowPayload, value)).toEqual([
      { field: 'template.1', rule: 'must match pattern "^[a-zA-Z0-9\\-_,]+$"' },
    ]);
    const attestation = { attestation_name: 'sonar', sonar_results: { project: { key: 1 }, qualityGate: {} } };
    expect(violations(sonarAttestation, attestation)).toEqual(
      expect.arrayContaining([
        { field: 'sonar_results.project.key', rule: 'must be string' },
        { field: 'sonar_results.qualityGate.status', rule: 'is missing' },
        { field: 'sonar_results.qualityGate.conditions', rule: 'is missing' },
      ]),
    );
  });

  it('name a key unchanged, even with characters of a JSON pointer', () => {
    expect(violations(Type.Record(Type.String(), Type.Number()), { 'a/b~c': 'x' })).toEqual([
      { field: 'a/b~c', rule: 'must be number' },
    ]);
  });

  it('list the allowed values once', () => {
    const value = { name: 'web', description: '', template: [], visibility: 'secret' };
    expect(violations(flowPayload, value)).toEqual([
      { field: 'visibility', rule: 'must be "public" or must be "private" or must be null' },
    ]);
  });

  it('have an empty field if the value itself is wrong', () => {
    expect(violations(closed, [])).toEqual([{ field: '', rule: 'must be object' }]);
    expect(violations(closed, undefined)).toEqual([{ field: '', rule: 'must be object' }]);
  });

  it('name all of many, not only the first few', () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_none, index) => [`key${index}`, index]));
    expect(violations(closed, { name: 'web', ...unknown }).map(({ field }) => field)).toEqual(Object.keys(unknown));
    expect(violations(Type.Array(Type.Integer()), Array.from({ length: 30 }).fill('x'))).toHaveLength(30);
  });

  it('name the words that are allowed', () => {
    expect(violations(Type.Object({ type: Type.Enum(['K8S', 'S3']) }), { type: 'k8s' })).toEqual([
      { field: 'type', rule: 'must be one of "K8S", "S3"' },
    ]);
  });

  it('are those of the kind of object that the value says it is', () => {
    const kind = (type: string, field: string) => Type.Object({ type: Type.Literal(type), [field]: Type.String() });
    const target = Type.Union([kind('SLACK', 'webhook'), kind('EMAIL', 'recipient')]);
    expect(violations(target, { type: 'EMAIL' })).toEqual([{ field: 'recipient', rule: 'is missing' }]);
    expect(violations(target, { type: 'FAX', recipient: 'ops' })).toEqual([
      { field: 'webhook', rule: 'is missing' },
      { field: 'type', rule: 'must be "SLACK" or must be "EMAIL"' },
    ]);
  });

  it('are limited in number', () => {
    const many = violations(Type.Array(Type.Integer()), Array.from({ length: 10_000 }).fill('x'));
    expect(many).toHaveLength(100);
  });

  const wrong = fc.oneof(
    fc.anything(),
    fc.dictionary(fc.string(), fc.anything(), { maxKeys: 300, size: 'large' }),
    fc.record({
      name: fc.string(),
      description: fc.anything(),
      template: fc.array(fc.anything()),
      extra: fc.anything(),
    }),
  );

  it.each<[string, TSchema]>([
    ['a closed object', closed],
    ['a flow', flowPayload],
    ['a Sonar attestation', sonarAttestation],
    ['an artifact', artifact],
    ['a union', Type.Union([Type.Object({ a: Type.String() }, { additionalProperties: false }), Type.Null()])],
  ])('are empty if and only if the value conforms: %s', (_name, schema) => {
    fc.assert(
      fc.property(wrong, (value) => {
        const found = violations(schema, value);
        expect(found.length === 0).toBe(conforms(schema, value));
        expect(new Set(found.map(({ field }) => field)).size).toBe(found.length);
        expect(found.every(({ rule }) => rule !== '')).toBe(true);
      }),
    );
  });

  it('are found even if there are more unknown keys than the limit', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_none, index) => [`key${index}`, index]));
    expect(conforms(closed, { name: 'web', ...unknown })).toBe(false);
    expect(violations(closed, { name: 'web', ...unknown })).toHaveLength(100);
  });
});
