import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  DocumentError,
  maximumInexactNumbers,
  maximumNesting,
  type ParsedDocument,
  parseDocument,
} from '../../../../../src/service/platform/server/bodies/json-document.ts';

const parse = (bytes: Uint8Array): Promise<ParsedDocument> => parseDocument(bytes, () => Promise.resolve());
const read = async (text: string): Promise<unknown> => (await parse(Buffer.from(text))).plain;
const faultOf = async (bytes: Uint8Array): Promise<unknown> => parse(bytes).catch((error: unknown) => error);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parsing a JSON document', () => {
  it('returns the value that was serialized', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u0000'));
        expect(JSON.stringify(await read(JSON.stringify(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('returns what JSON.parse returns, or throws, for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
        try {
          expect((await parse(bytes)).plain).toEqual(JSON.parse(Buffer.from(bytes).toString('utf8')));
        } catch (error) {
          expect(error).toBeInstanceOf(DocumentError);
        }
      }),
    );
  });

  it('pauses between its steps', async () => {
    let pauses = 0;
    await parseDocument(Buffer.from('{"a":["b"]}'), () => {
      pauses += 1;
      return Promise.resolve();
    });
    expect(pauses).toBeGreaterThan(1);
  });

  it('accepts the deepest nesting and nothing deeper', async () => {
    expect(JSON.stringify(await read(nested(maximumNesting)))).toBe(nested(maximumNesting));
    for (const depth of [maximumNesting + 1, 200_000]) {
      expect(await faultOf(Buffer.from(nested(depth)))).toMatchObject({ message: 'must not be nested deeper than 64' });
    }
  });

  it('keeps keys with a meaning in JavaScript', async () => {
    const text = '{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":null}';
    expect(JSON.stringify(await read(text))).toBe(text);
  });

  it.each([
    ['{"a":{"b":["\\u0000"]}}', 'a.b.0', 'must not contain NUL'],
    ['{"a":"\\udfff"}', 'a', 'must not contain a lone surrogate'],
    ['{"a":{"\\u0000":1}}', 'a', 'has an invalid key, which must not contain NUL'],
    ['{"a":1,"a":1}', 'a', 'must not be repeated within one object'],
    [String.raw`{"b":[{"name":1,"x":{"name":1},"na\u006de":2}]}`, 'name', 'must not be repeated within one object'],
    ['{"a":}', '', expect.stringContaining('must be JSON: ')],
  ])('rejects %s and says where', async (text, field, rule) => {
    expect(await faultOf(Buffer.from(text))).toMatchObject({ name: 'DocumentError', field, message: rule });
  });

  it('keeps numbers as they were written, next to what JSON.parse returns', async () => {
    const text = '{"a":[12345678901234567890,1e400,-0,1.0,1]}';
    const { plain, exact } = await parse(Buffer.from(text));
    expect(JSON.stringify(exact)).toBe(text);
    expect(plain).toEqual({ a: [12345678901234567000, Infinity, -0, 1, 1] });
  });

  it('limits the numbers that are kept as they were written', async () => {
    const numbers = (count: number): Buffer => Buffer.from(`[${Array.from({ length: count }).fill('1.0').join(',')}]`);
    expect((await parse(numbers(maximumInexactNumbers))).plain).toHaveLength(maximumInexactNumbers);
    expect(await faultOf(numbers(maximumInexactNumbers + 1))).toMatchObject({
      message: expect.stringContaining('more than 10000 numbers'),
    });
  });

  it('rejects invalid UTF-8', async () => {
    expect(await faultOf(Uint8Array.from([0x22, 0xc3, 0x22]))).toMatchObject({ message: 'must be UTF-8' });
  });

  it('accepts a byte order mark', async () => {
    expect((await parse(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31]))).plain).toBe(1);
  });
});
