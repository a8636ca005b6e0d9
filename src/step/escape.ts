/** A text as it may stand in HTML, on one line: in a summary, Markdown would read a blank line as the table's end. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll(/\r\n|\r|\n/gu, '<br>');
}

/** The address where it is one that a reader may safely follow: http or https. */
export function safeHref(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return url.username === '' && url.password === '' ? url.href : undefined;
}
