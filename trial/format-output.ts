/** Formats a job summary for a terminal: one line per row, links after their text. */
export function formatSummary(summary: string): string {
  return summary
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gu, '$2 ($1)')
    .replaceAll(/<\/(?:th|td)><(?:th|td)[^>]*>/gu, ' | ')
    .replaceAll(/<\/(?:tr|h2|h3|p|li|summary|pre)>|<br>/gu, '\n')
    .replaceAll(/<[^>]+>/gu, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\n{2,}/gu, '\n')
    .trim();
}

/**
 * Formats a step's log as GitHub shows it: groups as headings, annotations with their level, no masks, no debug lines.
 */
export function formatLog(log: string): string {
  return log
    .split('\n')
    .flatMap((line) => {
      const [, command, properties = '', message = ''] = /^::(\w[\w-]*)( [^:]*)?::(.*)$/u.exec(line) ?? [];
      if (command === undefined) return [`  ${line}`];
      if (command === 'group') return [`> ${message}`];
      if (command === 'error' || command === 'warning' || command === 'notice') {
        const title = /title=([^,]*)/u.exec(properties)?.[1];
        return [`[${command}] ${unescape(title === undefined ? message : `${title}: ${message}`)}`];
      }
      return [];
    })
    .join('\n')
    .trimEnd();
}

/** Reverses the escaping of workflow commands. */
function unescape(text: string): string {
  return text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
}
