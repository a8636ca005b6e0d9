import { escapeHtml } from '../../runtime/escape-html.ts';
import { printable, unprintable } from '../../runtime/printable.ts';

/**
 * Escapes a text for HTML, on one line: a blank line would end a block of HTML in Markdown. Control characters are
 * replaced as in `printable`.
 */
export function escapeHtmlLine(text: string): string {
  return escapeHtml(printable(text)).replaceAll(/\r\n|[\r\n]/gu, '<br>');
}

/** Escapes unprintable characters in JSON; `JSON.stringify` leaves DEL, C1 and bidirectional characters as they are. */
export function printableJson(json: string): string {
  // They occur only within strings.
  return json.replaceAll(unprintable, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The normalized URL if it is safe to link to: http or https, without credentials. */
export function safeHref(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return url.username === '' && url.password === '' ? url.href : undefined;
}
