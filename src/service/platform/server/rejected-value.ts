import { isObject } from '../../../contract/check.ts';

/** How much of a value is shown, in characters. */
const maximumShownLength = 100;

/** Fields with secrets, which no response repeats: a webhook's signing secret, and its URL, whose path is secret. */
const secretField = /(?:^|\.)(?:webhook|secret)$/u;

/** Characters that are invisible, or change how the text around them looks. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The suffix of a validation error, ` [input: bad name]`, as real services write it, so that a log shows the value
 * without the request. Empty if the value is absent, secret, an object or a list.
 *
 * @param field the path of the value, as dotted keys; empty for the whole input.
 */
export function renderRejectedValue(whole: unknown, field: string): string {
  const value = field === '' ? whole : findValue(whole, field);
  if (value === undefined || secretField.test(field)) return '';
  if (typeof value === 'string') return ` [input: ${shorten(value)}]`;
  // A number too large for a double is parsed as infinity, which is not what was sent.
  if (typeof value === 'number' && !Number.isFinite(value)) return '';
  return typeof value === 'object' && value !== null ? '' : ` [input: ${JSON.stringify(value)}]`;
}

/** Keys can contain dots, so every prefix of the path may be a key. */
function findValue(whole: unknown, field: string): unknown {
  if (!isObject(whole) && !Array.isArray(whole)) return undefined;
  if (Object.hasOwn(whole, field)) return Reflect.get(whole, field);
  for (let dot = field.indexOf('.'); dot !== -1; dot = field.indexOf('.', dot + 1)) {
    const key = field.slice(0, dot);
    const found = Object.hasOwn(whole, key) ? findValue(Reflect.get(whole, key), field.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function shorten(text: string): string {
  // By code points, so that no surrogate pair is cut.
  const characters = Array.from(text.slice(0, 2 * maximumShownLength + 2));
  const beginning = characters.slice(0, maximumShownLength).join('');
  const rest = characters.length > maximumShownLength ? '…' : '';
  return beginning.replaceAll(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`) + rest;
}
