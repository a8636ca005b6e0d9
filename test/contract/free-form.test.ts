import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withExactFreeForm } from '../../src/contract/free-form.ts';
import { Type } from '../../src/contract/schema.ts';
import { parseExactJson } from '../../src/runtime/exact-json.ts';

const schema = Type.Object({
  count: Type.Integer(),
  times: Type.Array(Type.Number()),
  note: Type.Optional(Type.Union([Type.Object({ at: Type.Number(), data: Type.Unknown() }), Type.Null()])),
  data: Type.Record(Type.String(), Type.Unknown()),
  any: Type.Optional(Type.Unknown()),
});

const restored = (text: string): unknown => withExactFreeForm(schema, JSON.parse(text), parseExactJson(text));

describe('free-form data', () => {
  it('keeps numbers as they were written, while declared fields are plain numbers', () => {
    const text =
      '{"count":1.0,"times":[2.0,3.50],"note":{"at":1e2,"data":1.0},"data":{"__proto__":1e400,"a":[-0]},"any":1.0,"open":1.0}';
    const value = restored(text);
    expect(value).toMatchObject({ count: 1, times: [2, 3.5], note: { at: 100 } });
    expect(JSON.stringify(value)).toBe(
      '{"count":1,"times":[2,3.5],"note":{"at":100,"data":1.0},"data":{"__proto__":1e400,"a":[-0]},"any":1.0,"open":1.0}',
    );
  });

  it('is unchanged in a value that does not conform', () => {
    expect(restored('{"count":"1.0","note":[1.0],"times":null}')).toEqual({ count: '1.0', note: [1], times: null });
    expect(restored('1.0')).toBe(1);
  });

  it('is the same value if every number is exact', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(withExactFreeForm(schema, JSON.parse(text), JSON.parse(text)))).toBe(text);
      }),
    );
  });
});
