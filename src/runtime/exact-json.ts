import { endOfString } from './json-string.ts';

/*
 * JSON.parse reads numbers as doubles: 12345678901234567890 becomes 12345678901234567000, 1e400 is lost, 1.0 becomes 1.
 * Data that is only passed through must come back as it was written. Such numbers are therefore kept as text, in a
 * `JSON.rawJSON` object, which JSON.stringify writes unchanged.
 */

declare global {
  // ECMAScript's proposal "JSON.parse source text access", part of Node.js since 22; TypeScript does not declare it
  // yet.
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
 * Counts the numbers that JSON.parse and JSON.stringify would not preserve as they are written. Takes linear time.
 *
 * @param text valid JSON
 */
export function countInexactNumbers(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === minus || (code >= zero && code <= nine)) {
      const end = endOfNumber(text, at);
      if (!isExact(text.slice(at, end))) count += 1;
      at = end - 1;
    }
  }
  return count;
}

/**
 * Parses a JSON text so that JSON.stringify reproduces every number. A number that a double cannot preserve becomes an
 * opaque `JSON.rawJSON` object.
 *
 * @throws SyntaxError if the text is not JSON; RangeError if it has such a number and is nested thousands of levels
 * deep
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

/** The end of the number that begins at `start`. In JSON, no character of a number can follow a number. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789+-.eE'.includes(text.charAt(at))) at += 1;
  return at;
}

/** Whether JSON.stringify would write the number in the same way. */
function isExact(source: string): boolean {
  return JSON.stringify(Number(source)) === source;
}
