import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Type as TypeBox } from 'typebox';
import { Check } from 'typebox/schema';
import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import { conforms, violations } from '../../src/contract/check.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { type TSchema, Type } from '../../src/contract/schema.ts';
import { isMapping } from '../../src/runtime/untrusted-data.ts';
import { createOrganization } from '../../src/service/organization/organization-routes.ts';
import { policyRules } from '../../src/service/policy/policy-rules.ts';
import { codePoint } from '../support/code-point.ts';
import { nearlyValidValues } from '../support/nearly-valid-values.ts';

/** Every schema that an endpoint declares, with its place. */
function schemasOf(endpoint: Endpoint): readonly (readonly [string, TSchema])[] {
  const { body, title } = endpoint;
  const documents: readonly TSchema[] =
    body.kind === 'json' ? [body.schema] : body.kind === 'multipart' ? [body.json.schema] : [];
  return [
    [`${title}: parameters`, endpoint.parameters],
    [`${title}: query`, endpoint.query],
    ...documents.map((schema) => [`${title}: document`, schema] as const),
    ...endpoint.success.map(({ status, schema }) => [`${title}: ${status}`, schema] as const),
  ];
}

const everySchema: readonly (readonly [string, TSchema])[] = [
  ...[...apiEndpoints, createOrganization].flatMap(schemasOf),
  ['the rules of a policy', policyRules],
];
// Every schema that the checker is used with, once. A keyword that the checker does not know would not be checked.
const declared = [...new Map(everySchema.map((named) => [JSON.stringify(named[1]), named])).values()];

describe('the builder', () => {
  it.each([
    ['a string', Type.String({ pattern: '^a$', maxLength: 3 }), TypeBox.String({ pattern: '^a$', maxLength: 3 })],
    ['an integer', Type.Integer({ minimum: 1 }), TypeBox.Integer({ minimum: 1 })],
    ['a number', Type.Number(), TypeBox.Number()],
    ['a boolean', Type.Boolean(), TypeBox.Boolean()],
    ['null', Type.Null(), TypeBox.Null()],
    ['anything', Type.Unknown({ description: 'd' }), TypeBox.Unknown({ description: 'd' })],
    ['a literal', Type.Literal('a'), TypeBox.Literal('a')],
    ['a choice', Type.Enum(['a', 'b']), TypeBox.Enum(['a', 'b'])],
    ['a list', Type.Array(Type.Null(), { minItems: 1 }), TypeBox.Array(TypeBox.Null(), { minItems: 1 })],
    ['a union', Type.Union([Type.Null(), Type.String()]), TypeBox.Union([TypeBox.Null(), TypeBox.String()])],
    [
      'an object',
      Type.Object({ a: Type.Null(), b: Type.Optional(Type.String()) }, { additionalProperties: false }),
      TypeBox.Object({ a: TypeBox.Null(), b: TypeBox.Optional(TypeBox.String()) }, { additionalProperties: false }),
    ],
    ['an object of nothing', Type.Object({}), TypeBox.Object({})],
  ])("makes TypeBox's JSON Schema of %s", (_name, built, expected) => {
    expect(JSON.parse(JSON.stringify(built))).toEqual(JSON.parse(JSON.stringify(expected)));
  });
});

describe('a record', () => {
  const key = fc.oneof(
    fc.string(),
    fc.string({ unit: codePoint }),
    fc.constantFrom('', '\n', 'a\nb', '\u2028', '__proto__'),
  );

  it('rejects a wrong value under any key, and names the key', () => {
    const record = Type.Record(Type.String(), Type.Number());
    fc.assert(
      fc.property(key, fc.constantFrom(null, 'x', true, {}, []), (name, value) => {
        const document = Object.fromEntries([
          ['fits', 1],
          [name, value],
        ]);
        expect(conforms(record, document)).toBe(false);
        expect(Check(record, document)).toBe(false);
        expect(violations(record, document)).toEqual([{ field: name, rule: 'must be number' }]);
      }),
    );
  });

  it('accepts a valid value under any key', () => {
    const record = Type.Record(Type.String(), Type.Number());
    fc.assert(
      fc.property(fc.dictionary(key, fc.integer()), (document) => {
        expect(conforms(record, document)).toBe(true);
      }),
    );
  });

  it("checks its keys as TypeBox's checker does", () => {
    const record = Type.Record(Type.String({ maxLength: 3 }), Type.Number());
    fc.assert(
      fc.property(fc.dictionary(key, fc.integer()), (document) => {
        expect(conforms(record, document)).toBe(Check(record, document));
      }),
    );
    expect(violations(record, { 'a\nbc': 1 })).toEqual([
      { field: '', rule: 'has a key that must not have more than 3 characters' },
    ]);
  });
});

describe('a length', () => {
  it("is counted in characters, as TypeBox's checker does", () => {
    const text = Type.String({ minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 6 }), (value) => {
        expect(conforms(text, value)).toBe(Check(text, value));
      }),
    );
    expect(conforms(text, '🚀🚀🚀🚀')).toBe(true);
    expect(conforms(text, '🚀')).toBe(false);
  });
});

describe('the checker', () => {
  it.each(declared)("decides like TypeBox's: %s", (_name, schema) => {
    fc.assert(
      // Without `expect`, which takes longer than the check.
      fc.property(nearlyValidValues(schema), (value) => {
        const decision = Check(schema, value);
        return conforms(schema, value) === decision && (violations(schema, value).length === 0) === decision;
      }),
      { numRuns: 60 },
    );
  });

  // The words that `check.ts` knows, and those that say something to a reader and decide nothing.
  const checked = ['anyOf', 'const', 'enum', 'type', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'];
  const structural = [
    'items',
    'minItems',
    'maxItems',
    'required',
    'properties',
    'propertyNames',
    'additionalProperties',
  ];
  const known = new Set([...checked, ...structural, 'description', 'deprecated']);

  it.each(declared)('knows every keyword in use: %s', (_name, schema) => {
    expect([...keywordsIn(schema)].filter((word) => !known.has(word))).toEqual([]);
  });
});

/** The keywords of a schema and of those within it. */
function keywordsIn(schema: unknown): ReadonlySet<string> {
  if (!isMapping(schema)) return new Set();
  const properties = isMapping(schema['properties']) ? Object.values(schema['properties']) : [];
  const lists: readonly unknown[] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  const within = [...properties, ...lists, schema['items'], schema['propertyNames'], schema['additionalProperties']];
  return new Set([...Object.keys(schema), ...within.flatMap((part) => [...keywordsIn(part)])]);
}
