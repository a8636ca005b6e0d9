import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  maximumNesting,
  DocumentError,
  maximumInexactNumbers,
  parseDocument,
  parseDocumentInSteps,
} from '../../../../../src/service/platform/server/bodies/json-document.ts';

const read = (text: string): unknown => parseDocument(Buffer.from(text)).plain;
const faultOf = (bytes: Uint8Array): DocumentError => {
  try {
    parseDocument(bytes);
  } catch (error) {
    if (error instanceof DocumentError) return error;
    throw error;
  }
  throw new Error('it was taken');
};
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parsing a JSON document', () => {
  it('returns the value that was serialized', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u0000'));
        expect(JSON.stringify(read(JSON.stringify(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('returns what JSON.parse returns, or throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          expect(parseDocument(bytes).plain).toEqual(JSON.parse(Buffer.from(bytes).toString('utf8')));
        } catch (error) {
          expect(error).toBeInstanceOf(DocumentError);
        }
      }),
    );
  });

  it('accepts the deepest nesting and nothing deeper', () => {
    expect(JSON.stringify(read(nested(maximumNesting)))).toBe(nested(maximumNesting));
    expect(faultOf(Buffer.from(nested(maximumNesting + 1))).message).toBe('must not be nested deeper than 64');
    expect(faultOf(Buffer.from(nested(200_000))).message).toBe('must not be nested deeper than 64');
  });

  it('keeps keys with a meaning in JavaScript', () => {
    const text = '{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":null}';
    expect(JSON.stringify(read(text))).toBe(text);
  });

  it.each([
    ['{"a":{"b":["\\u0000"]}}', 'a.b.0', 'must not contain NUL'],
    ['{"a":"\\udfff"}', 'a', 'must not contain a lone surrogate'],
    ['{"a":{"\\u0000":1}}', 'a', 'has an invalid key, which must not contain NUL'],
    ['{"a":1,"a":1}', 'a', 'must not be repeated within one object'],
    [String.raw`{"b":[{"name":1,"x":{"name":1},"na\u006de":2}]}`, 'name', 'must not be repeated within one object'],
    ['{"a":}', '', expect.stringContaining('must be JSON: ')],
  ])('rejects %s and says where', (text, field, rule) => {
    expect(faultOf(Buffer.from(text))).toMatchObject({ field, message: rule });
  });

  it('keeps numbers as they were written, next to what JSON.parse returns', () => {
    const text = '{"a":[12345678901234567890,1e400,-0,1.0,1]}';
    const { plain, exact } = parseDocument(Buffer.from(text));
    expect(JSON.stringify(exact)).toBe(text);
    expect(plain).toEqual({ a: [12345678901234567000, Infinity, -0, 1, 1] });
  });

  it('limits the numbers that are kept as they were written', () => {
    const numbers = (count: number): Buffer => Buffer.from(`[${Array.from({ length: count }).fill('1.0').join(',')}]`);
    expect(parseDocument(numbers(maximumInexactNumbers)).plain).toHaveLength(maximumInexactNumbers);
    expect(faultOf(numbers(maximumInexactNumbers + 1)).message).toContain('more than 10000 numbers');
  });

  it('rejects invalid UTF-8', () => {
    expect(faultOf(Uint8Array.from([0x22, 0xc3, 0x22])).message).toBe('must be UTF-8');
  });

  it('accepts a byte order mark', () => {
    expect(parseDocument(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31])).plain).toBe(1);
  });

  it('accepts and rejects the same in steps as at once', async () => {
    let pauses = 0;
    const inSteps = (text: string): Promise<unknown> =>
      parseDocumentInSteps(Buffer.from(text), undefined, () => {
        pauses += 1;
        return Promise.resolve();
      });
    const text = '{"a":[12345678901234567890,"b"]}';
    expect(await inSteps(text)).toEqual(parseDocument(Buffer.from(text)));
    expect(pauses).toBeGreaterThan(1);
    for (const refused of ['{', '{"a":"\\u0000"}', '{"a":1,"a":2}']) {
      await expect(inSteps(refused)).rejects.toThrow(faultOf(Buffer.from(refused)));
    }
  });
});
