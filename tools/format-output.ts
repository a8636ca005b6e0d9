import type { ActionRun } from './run-action.ts';

/** Why a step failed: the reasons of the verdict, or the first sentence of the error. */
export function listReasons({ exitCode, log }: Pick<ActionRun, 'exitCode' | 'log'>): readonly string[] {
  if (exitCode === 0) return [];
  const lines = formatLog(log).split('\n');
  const start = lines.findIndex((line) => line.trim() === 'Reasons:') + 1;
  const reasons = start === 0 ? [] : lines.slice(start).slice(0, lines.slice(start).findIndex(isNoReason));
  const errors = lines.flatMap((line) => /^\[error\] (.*?\.)(?: |$)/u.exec(line)?.slice(1) ?? []);
  return (reasons.length > 0 ? reasons : errors).map((line) => line.trim());
}

/** Reasons are indented further than what follows them. */
const isNoReason = (line: string): boolean => !line.startsWith('    ');

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
