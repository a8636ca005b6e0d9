import type { Row } from './row.ts';

const columns = [
  ['what', 'what'],
  ['figure', 'figure'],
  ['against', 'against'],
  ['ratio', 'ratio'],
  ['must reach', 'mustReach'],
  ['aim for', 'aimFor'],
  ['reached', 'reached'],
] as const satisfies readonly (readonly [string, keyof Row])[];

/** Formats rows as a Markdown table with aligned columns. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map(([, key]) => row[key].replaceAll('|', '\\|')));
  const titles = columns.map(([title]) => title);
  const widths = titles.map((title, at) => Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n');
}
