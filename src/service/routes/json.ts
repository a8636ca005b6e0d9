import { messageOf } from '../domain/thrown.ts';

/** How deep arrays and objects may lie in each other: far beyond any honest document, far from any stack's end. */
export const deepestNesting = 64;

/** A document that is not taken, and why: a rule in words, with where it was broken. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  /** Where, as dotted keys; empty for the document as a whole. */
  readonly field: string;

  constructor(field: string, rule: string) {
    super(rule);
    this.field = field;
  }
}

/**
 * Reads a JSON document strictly: UTF-8 without a flaw (JSON.parse would be handed U+FFFD for it), no deep nesting (which
 * parses, and breaks whoever writes it out again), no NUL or lone surrogate (which PostgreSQL refuses to store), no number
 * beyond a double (which would become null). Keys such as `__proto__` stay what they are, data.
 *
 * @throws DocumentFault
 */
export function readDocument(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentFault('', 'must be UTF-8');
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new DocumentFault('', `must be JSON: ${messageOf(error)}`);
  }
  inspect(document);
  return document;
}

interface Place {
  readonly value: unknown;
  readonly keys: readonly string[];
}

/** Walks without recursion, because the depth is what it is there to check. */
function inspect(document: unknown): void {
  const places: Place[] = [{ value: document, keys: [] }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, keys } = place;
    const fault = typeof value === 'string' ? faultOfText(value) : faultOfNumber(value);
    if (fault !== undefined) throw new DocumentFault(keys.join('.'), fault);
    if (typeof value !== 'object' || value === null) continue;
    if (keys.length >= deepestNesting) throw new DocumentFault('', `must not be nested deeper than ${deepestNesting}`);
    for (const [key, item] of Object.entries(value)) {
      const keyFault = faultOfText(key);
      if (keyFault !== undefined)
        throw new DocumentFault(keys.join('.'), `must have no key that breaks this: ${keyFault}`);
      places.push({ value: item, keys: [...keys, key] });
    }
  }
}

function faultOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL';
  return text.isWellFormed() ? undefined : 'must not contain a lone surrogate';
}

function faultOfNumber(value: unknown): string | undefined {
  return typeof value === 'number' && !Number.isFinite(value) ? 'must be a number that fits a double' : undefined;
}
