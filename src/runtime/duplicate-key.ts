import { endOfString } from './json-string.ts';

/**
 * Finds a key that occurs twice in one object of a JSON text. `JSON.parse` silently keeps the last one, so two readers
 * could see different verdicts. Escaped keys are decoded (`"st\u0061te"` is `state`). Takes linear time, and memory
 * for the keys of the objects that are open at a time.
 *
 * @param text valid JSON
 * @returns the first duplicate key, or undefined
 */
export function findDuplicateKey(text: string): string | undefined {
  // The keys seen in each open object; undefined for an object without keys so far, and for an array.
  const openObjects: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case openingBrace:
      case openingBracket:
        openObjects.push(undefined);
        break;
      case closingBrace:
      case closingBracket:
        openObjects.pop();
        break;
      case quote: {
        const start = at;
        at = endOfString(text, start);
        if (!isKey(text, at + 1)) break;
        const key = keyAt(text, start, at);
        const seen = openObjects.pop() ?? new Set();
        if (seen.has(key)) return key;
        openObjects.push(seen.add(key));
      }
    }
  }
  return undefined;
}

const quote = 0x22;
const colon = 0x3a;
const space = 0x20;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

/** Whether the string that ends before `after` is a key: a colon follows. JSON has no white space above U+0020. */
function isKey(text: string, after: number): boolean {
  let at = after;
  while (text.charCodeAt(at) <= space) at += 1;
  return text.charCodeAt(at) === colon;
}

function keyAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}
