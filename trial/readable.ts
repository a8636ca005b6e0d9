/** A job summary as a terminal shows it: one line a row, links behind their texts. */
export function readable(summary: string): string {
  return summary
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gu, '$2 ($1)')
    .replaceAll(/<\/(?:th|td)><(?:th|td)[^>]*>/gu, ' | ')
    .replaceAll(/<\/(?:tr|h2|h3|p)>|<br>/gu, '\n')
    .replaceAll(/<[^>]+>/gu, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\n{2,}/gu, '\n')
    .trim();
}
