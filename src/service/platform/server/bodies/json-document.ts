import { maximumDocumentValues } from '../../../../contract/limits.ts';
import { decodeText } from '../../../../runtime/decode-text.ts';
import { findDuplicateKey } from '../../../../runtime/duplicate-key.ts';
import { countInexactNumbers, parseExactJson } from '../../../../runtime/exact-json.ts';
import { errorMessage } from '../../../../runtime/failure.ts';
import { measureJson } from '../../../../runtime/json-size.ts';

/** How deep arrays and objects may be nested: far deeper than real documents, far from a stack overflow. */
export const maximumNesting = 64;

/** An invalid document. The message is the broken rule. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  /** The path of the invalid field, as dotted keys; empty for the whole document. */
  readonly field: string;

  constructor(field: string, rule: string) {
    super(rule);
    this.field = field;
  }
}

/** The most numbers that are kept as text in one document: each costs a hundred times as much as a double. */
export const maximumInexactNumbers = 10_000;

export interface ParsedDocument {
  readonly plain: unknown;
  /** With every number as it was written (`parseExactJson`); the same object if `plain` has them all. */
  readonly exact: unknown;
}

/**
 * Parses a JSON document strictly: valid UTF-8 (a lenient decoder would insert U+FFFD), no deep nesting (which parses,
 * but overflows the stack when it is serialized), no NUL or lone surrogate (which PostgreSQL cannot store), no
 * duplicate keys in an object (RFC 7493, section 2.3: parsers disagree on which one counts). Keys such as `__proto__`
 * are ordinary data.
 *
 * @param maximumValues the maximum number of keys and values.
 * @param pause awaited between two steps, because a document of a megabyte takes tens of milliseconds.
 * @throws DocumentError
 */
export async function parseDocument(
  bytes: Uint8Array,
  pause: () => Promise<void>,
  maximumValues: number = maximumDocumentValues,
): Promise<ParsedDocument> {
  const text = decodeText(bytes);
  if (text === undefined) throw new DocumentError('', 'must be UTF-8');
  requireSmall(text, maximumValues);
  await pause();
  const plain = parseJson(text);
  await pause();
  const fault = badEscape.test(text) ? findFault(plain) : undefined;
  if (fault !== undefined) throw new DocumentError(fault.keys.reverse().join('.'), fault.rule);
  const repeated = findDuplicateKey(text);
  if (repeated !== undefined) throw new DocumentError(repeated, 'must not be repeated within one object');
  await pause();
  const inexact = countInexactNumbers(text);
  if (inexact > maximumInexactNumbers) {
    const rule = `must not have more than ${maximumInexactNumbers} numbers that a double cannot represent as they are written, such as 1.0`;
    throw new DocumentError('', rule);
  }
  return { plain, exact: inexact === 0 ? plain : parseExactJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DocumentError('', `must be JSON: ${errorMessage(error)}`);
  }
}

/** @throws DocumentError for a document whose parsing would take too much memory */
function requireSmall(text: string, maximumValues: number): void {
  const { values, nesting } = measureJson(text, maximumNesting);
  if (nesting > maximumNesting) throw new DocumentError('', `must not be nested deeper than ${maximumNesting}`);
  if (values > maximumValues) {
    throw new DocumentError('', `must not have more than ${maximumValues} keys and values`);
  }
}

/** Only an escape can stand for NUL or a lone surrogate, because JSON has no raw NUL and UTF-8 has no surrogates. */
const badEscape = /\\u(?:0000|[dD][89a-fA-F])/;

interface Fault {
  readonly rule: string;
  /** The keys from the value up to the document. */
  readonly keys: string[];
}

/** Finds what is wrong with a value or anything in it. `requireSmall` has limited the nesting. */
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
