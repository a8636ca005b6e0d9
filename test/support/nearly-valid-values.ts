import fc from 'fast-check';
import { isMapping } from '../../src/runtime/untrusted-data.ts';

// Shared, because creating one takes as long as generating hundreds of values.
const text = fc.string();
const smallJson = fc.jsonValue({ maxDepth: 1 });
const anything = fc.oneof(smallJson, fc.constant(undefined));
const matching = new Map<string, fc.Arbitrary<string>>();
const unknownKey = fc.oneof(text, fc.constantFrom('\n', 'a\nb', '__proto__'));

/** Values that nearly match a schema: most parts are valid, some are not, so that a checker gives both results. */
export function nearlyValidValues(schema: unknown, depth = 0): fc.Arbitrary<unknown> {
  if (!isMapping(schema) || depth > 6) return anything;
  return fc.oneof({ weight: 12, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: anything });
}

function fitting(schema: Readonly<Record<string, unknown>>, depth: number): fc.Arbitrary<unknown> {
  const { anyOf, enum: choices, type } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((member) => nearlyValidValues(member, depth + 1)));
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as unknown[]));
  if ('const' in schema) return fc.constant(schema['const']);
  switch (type) {
    case 'string':
      return typeof schema['pattern'] === 'string' ? matchingOrNot(schema['pattern']) : text;
    case 'integer':
      return fc.oneof(fc.integer(), fc.integer({ min: 0, max: 1200 }), fc.double());
    case 'number':
      return fc.double();
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(nearlyValidValues(schema['items'], depth + 1), { maxLength: 3 });
    case 'object':
      return objects(schema, depth);
    default:
      return smallJson;
  }
}

function matchingOrNot(pattern: string): fc.Arbitrary<string> {
  const known = matching.get(pattern) ?? fc.oneof(fc.stringMatching(new RegExp(pattern, 'u')), text);
  matching.set(pattern, known);
  return known;
}

function objects(schema: Readonly<Record<string, unknown>>, depth: number): fc.Arbitrary<unknown> {
  const properties = isMapping(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].filter((key) => typeof key === 'string') : [];
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, nearlyValidValues(value, depth + 1)])),
    { requiredKeys: required },
  );
  const further = fc.dictionary(unknownKey, nearlyValidValues(schema['additionalProperties'], depth + 1), {
    maxKeys: 2,
  });
  const omission = fc.option(fc.constantFrom(...Object.keys(properties), ''), { freq: 6, nil: undefined });
  return fc
    .tuple(known, fc.option(further, { freq: 3, nil: {} }), omission)
    .map(([value, more, omitted]) =>
      Object.fromEntries(Object.entries({ ...more, ...value }).filter(([key]) => key !== omitted)),
    );
}
