import { isKeywords } from '../../contract/check.ts';

/** How much of an input is shown, in characters. */
const longestShown = 100;

/** Fields that hold a secret, which no answer repeats: what signs for a webhook, and the path of its address. */
const secretField = /(?:^|\.)(?:webhook|secret)$/u;

/** What cannot be seen, or changes how the text around it looks. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The end of a validation error, ` [input: bad name]`, in the form of a real service: whoever reads a log sees the value
 * without the request. Empty for what is absent, secret, or an object or list.
 *
 * @param field where the value is, as dotted keys; empty for the whole input.
 */
export function renderRejectedValue(whole: unknown, field: string): string {
  const value = field === '' ? whole : findValue(whole, field);
  if (value === undefined || secretField.test(field)) return '';
  if (typeof value === 'string') return ` [input: ${shorten(value)}]`;
  // A number beyond a double is read as infinity, which is not what was sent.
  if (typeof value === 'number' && !Number.isFinite(value)) return '';
  return typeof value === 'object' && value !== null ? '' : ` [input: ${JSON.stringify(value)}]`;
}

/** Keys can have dots of their own, so every beginning of the dotted keys may be one. */
function findValue(whole: unknown, field: string): unknown {
  if (!isKeywords(whole) && !Array.isArray(whole)) return undefined;
  if (Object.hasOwn(whole, field)) return Reflect.get(whole, field);
  for (let dot = field.indexOf('.'); dot !== -1; dot = field.indexOf('.', dot + 1)) {
    const key = field.slice(0, dot);
    const found = Object.hasOwn(whole, key) ? findValue(Reflect.get(whole, key), field.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function shorten(text: string): string {
  // By code points, so that no pair of surrogates is cut; each has two code units at most.
  const characters = Array.from(text.slice(0, 2 * longestShown + 2));
  const beginning = characters.slice(0, longestShown).join('');
  const rest = characters.length > longestShown ? '…' : '';
  return beginning.replaceAll(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`) + rest;
}
