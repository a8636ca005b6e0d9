import { maximumDocumentValues } from '../../../contract/limits.ts';
import { countInexactNumbers, parseExactJson } from '../../../runtime/exact-json.ts';
import { repeatedKey } from '../../../runtime/repeated-key.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import { decodeText } from '../../../runtime/decode-text.ts';
/** How deep arrays and objects may lie in each other: far beyond any honest document, far from any stack's end. */
export const deepestNesting = 64;

/** A document that is not taken, and why: a rule in words, with where it was broken. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  /** Where, as dotted keys; empty for the document as a whole. */
  readonly field: string;

  constructor(field: string, rule: string) {
    super(rule);
    this.field = field;
  }
}

/** How many numbers of one document are kept as their text: each costs a hundred times as much as another number. */
export const maximumInexactNumbers = 10_000;

/** A document in two forms. */
export interface ParsedDocument {
  /** As JSON.parse reads it. */
  readonly plain: unknown;
  /** With every number as it was written (`parseExactJson`); the same object if `plain` has them all. */
  readonly exact: unknown;
}

/**
 * Reads a JSON document strictly: UTF-8 without a flaw (JSON.parse would be handed U+FFFD for it), no deep nesting (which
 * parses, and breaks whoever writes it out again), no NUL or lone surrogate (which PostgreSQL refuses to store), no key
 * twice in one object (RFC 7493, 2.3: readers disagree on which of the two counts). Keys such as `__proto__` stay what they
 * are, data.
 *
 * @param mostValues the most keys and values.
 * @throws DocumentError
 */
export function parseDocument(bytes: Uint8Array, mostValues: number = maximumDocumentValues): ParsedDocument {
  const text = decodeText(bytes);
  if (text === undefined) throw new DocumentError('', 'must be UTF-8');
  requireSmall(bytes, mostValues);
  let plain: unknown;
  try {
    plain = JSON.parse(text);
  } catch (error) {
    throw new DocumentError('', `must be JSON: ${errorMessage(error)}`);
  }
  const fault = findFault(plain);
  if (fault !== undefined) throw new DocumentError(fault.keys.reverse().join('.'), fault.rule);
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw new DocumentError(repeated, 'must not be repeated within one object');
  const inexact = countInexactNumbers(text);
  if (inexact > maximumInexactNumbers) {
    const rule = `must not have more than ${maximumInexactNumbers} numbers that a double cannot represent as they are written, such as 1.0`;
    throw new DocumentError('', rule);
  }
  return { plain, exact: inexact === 0 ? plain : parseExactJson(text) };
}

const quote = 0x22;
const backslash = 0x5c;
/** What a byte outside of texts adds to the depth, and whether something new begins with it or after it. */
const deepens = new Int8Array(256);
const counts = new Uint8Array(256);
for (const character of '[{') deepens[character.charCodeAt(0)] = 1;
for (const character of ']}') deepens[character.charCodeAt(0)] = -1;
for (const character of '[{,:') counts[character.charCodeAt(0)] = 1;

/**
 * Counts keys, values and nesting in the text, because parsing takes up to a hundred times as much memory as there is text. What is
 * not JSON is counted as well, and refused afterwards.
 *
 * @throws DocumentError
 */
function requireSmall(bytes: Uint8Array, mostValues: number): void {
  let values = 1;
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === quote) isText = !isText;
    else if (isText) index += byte === backslash ? 1 : 0;
    else {
      values += counts[byte] ?? 0;
      depth += deepens[byte] ?? 0;
      if (depth > deepestNesting) throw new DocumentError('', `must not be nested deeper than ${deepestNesting}`);
    }
  }
  if (values > mostValues) {
    throw new DocumentError('', `must not have more than ${mostValues} keys and values`);
  }
}

interface Fault {
  readonly rule: string;
  /** From the value up to the document. */
  readonly keys: string[];
}

/** What is wrong with a value or anything in it. It is nested no deeper than `requireSmall` allows. */
function findFault(value: unknown): Fault | undefined {
  const rule = typeof value === 'string' ? textFault(value) : undefined;
  if (rule !== undefined) return { rule, keys: [] };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    const keyRule = Array.isArray(value) ? undefined : textFault(key);
    if (keyRule !== undefined) return { rule: `has an invalid key, which ${keyRule}`, keys: [] };
    const fault = findFault(Reflect.get(value, key));
    if (fault === undefined) continue;
    fault.keys.push(key);
    return fault;
  }
  return undefined;
}

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL';
  return text.isWellFormed() ? undefined : 'must not contain a lone surrogate';
}
