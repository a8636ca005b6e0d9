import { escapeHtml } from '../../runtime/escape-html.ts';

/**
 * A text as it may stand in HTML, on one line: in a summary, Markdown would read a blank line as the table's end. Characters
 * without a glyph of their own are shown as by `printable`.
 */
export function escapeHtmlLine(text: string): string {
  return escapeHtml(printable(text)).replaceAll(/\r\n|[\r\n]/gu, '<br>');
}

/**
 * The control characters of C0 and C1 but tab and line breaks, and those that turn the direction of writing (Unicode's
 * UAX #9). The first steer terminals, the second rearrange what stands around a foreign text.
 */
const unprintable = /[[\p{Cc}\u202A-\u202E\u2066-\u2069]--[\t\n\r]]/gv;

/** The text with U+FFFD in the place of each character that a reader cannot see and a terminal or browser obeys. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, '\uFFFD');
}

/** JSON with these characters escaped: JSON itself leaves DEL, C1 and the turns of direction as they are. */
export function printableJson(json: string): string {
  // Outside of strings, JSON holds none of them.
  return json.replaceAll(unprintable, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The address where it is one that a reader may safely follow: http or https. */
export function safeHref(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return url.username === '' && url.password === '' ? url.href : undefined;
}
