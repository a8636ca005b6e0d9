import { endOfString } from './json-string.ts';

/*
 * JSON.parse reads numbers as doubles: 12345678901234567890 becomes 12345678901234567000, 1e400 is lost, 1.0 becomes 1.
 * Data that is only carried along must come back as it was written, so such numbers are kept as their text: as
 * `JSON.rawJSON`, which JSON.stringify writes out as it is.
 */

declare global {
  // ECMAScript's proposal "JSON.parse source text access", part of Node.js since 22; TypeScript does not declare it yet.
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * How many numbers of a JSON text JSON.stringify would write differently from how they stand there. Takes linear time.
 *
 * @param text valid JSON
 */
export function countInexactNumbers(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (isNumberStart(code)) {
      const end = endOfNumber(text, at);
      if (!isExact(text.slice(at, end))) count += 1;
      at = end - 1;
    }
  }
  return count;
}

/**
 * Parses a JSON text so that JSON.stringify writes every number as it stands there. A number that a double does not keep
 * as it is written becomes an opaque object of `JSON.rawJSON`.
 *
 * @throws SyntaxError if the text is not JSON; RangeError if it holds such a number and is nested thousands of levels deep
 */
export function parseExactJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  if (countInexactNumbers(text) === 0) return plain;
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isExact(source) ? JSON.rawJSON(source) : value,
  );
}

const quote = 0x22;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

function isNumberStart(code: number): boolean {
  return code === minus || (code >= zero && code <= nine);
}

/** Where the number that begins at a place is over: what follows one in JSON is no character of a number. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789+-.eE'.includes(text.charAt(at))) at += 1;
  return at;
}

/** Whether JSON.stringify writes the number as it is written here. */
function isExact(source: string): boolean {
  return JSON.stringify(Number(source)) === source;
}
