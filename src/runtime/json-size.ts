import { endOfString } from './json-string.ts';

const quote = 0x22;
/** How each character outside of strings changes the depth, and whether it introduces a key or value. */
const deepens = new Int8Array(256);
const counts = new Uint8Array(256);
for (const character of '[{') deepens[character.charCodeAt(0)] = 1;
for (const character of ']}') deepens[character.charCodeAt(0)] = -1;
for (const character of '[{,:') counts[character.charCodeAt(0)] = 1;

/**
 * Counts the keys and values of a JSON text, and how deep it is nested, before it is parsed: parsing can take a hundred
 * times the memory of the text. Text that is not JSON is counted, too. Stops at values that are nested too deep.
 */
export function measureJson(
  text: string,
  maximumNesting: number,
): { readonly values: number; readonly nesting: number } {
  let values = 1;
  let depth = 0;
  let nesting = 0;
  for (let index = 0; index < text.length && nesting <= maximumNesting; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else {
      values += counts[code] ?? 0;
      depth += deepens[code] ?? 0;
      if (depth > nesting) nesting = depth;
    }
  }
  return { values, nesting };
}
