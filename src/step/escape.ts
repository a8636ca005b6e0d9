/**
 * A text as it may stand in HTML, on one line: in a summary, Markdown would read a blank line as the table's end. What turns
 * the direction of writing is shown and does not work: it would let a foreign text rearrange what stands around it.
 */
export function escapeHtml(text: string): string {
  return withoutTurns(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll(/\r\n|\r|\n/gu, '<br>');
}

/** The text with a sign in the place of each character that turns the direction of writing (Unicode's UAX #9). */
export function withoutTurns(text: string): string {
  return text.replaceAll(/[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

/** The address where it is one that a reader may safely follow: http or https. */
export function safeHref(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return url.username === '' && url.password === '' ? url.href : undefined;
}
