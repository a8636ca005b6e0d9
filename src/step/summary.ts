import type { Report, Table, Text } from '../operations/report.ts';
import { escapeHtml, safeHref } from './escape.ts';

/** What a summary says. */
export interface SummaryText {
  /** `✅ Compliant`. */
  readonly verdict: string;
  readonly conclusion: string;
  /** What the reader can do, where something went wrong. */
  readonly remedy?: string;
  readonly report?: Report;
  readonly runUrl: string | undefined;
}

/** Rows beyond these are counted, not shown: a summary is read, and GitHub refuses a large one. */
const maximumRows = 200;

/**
 * The job summary, verdict first, as HTML that GitHub's Markdown passes on.
 *
 * @param room how many bytes it may have; tables are left out where they do not fit
 */
export function renderSummary(text: SummaryText, room: number): string {
  const whole = render(text, text.report?.tables ?? []);
  if (Buffer.byteLength(whole) <= room) return whole;
  const short =
    render(text, []) + '<p>The tables are too large for the summary; see the log and `response-path`.</p>\n';
  return Buffer.byteLength(short) <= room ? short : '';
}

function render(text: SummaryText, tables: readonly Table[]): string {
  const subject = text.report === undefined ? '' : `: ${text.report.subject}`;
  const parts = [
    `<h2>${escapeHtml(text.verdict + subject)}</h2>`,
    `<p>${escapeHtml(text.conclusion)}</p>`,
    ...(text.remedy === undefined ? [] : [`<p><b>What to do:</b> ${escapeHtml(text.remedy)}</p>`]),
    ...(text.report === undefined ? [] : [renderFacts(text.report)]),
    ...tables.map(renderTable),
    ...(text.runUrl === undefined ? [] : [`<p>${cell({ text: 'Workflow run', href: text.runUrl })}</p>`]),
  ];
  return `${parts.join('\n')}\n\n`;
}

function renderFacts(report: Report): string {
  const rows = report.facts.map(
    ({ label, value }) => `<tr><th align="left">${escapeHtml(label)}</th><td>${cell(value)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderTable(table: Table): string {
  const head = table.columns.map((column) => `<th align="left">${escapeHtml(column)}</th>`).join('');
  const rows = table.rows
    .slice(0, maximumRows)
    .map((row) => `<tr>${row.map((value) => `<td>${cell(value)}</td>`).join('')}</tr>`)
    .join('');
  const hidden = table.rows.length - maximumRows;
  const more = hidden > 0 ? `\n<p>${hidden} more rows are in the file of <code>response-path</code>.</p>` : '';
  return `<h3>${escapeHtml(table.title)}</h3>\n<table><tr>${head}</tr>${rows}</table>${more}`;
}

function cell(value: Text): string {
  const escaped = escapeHtml(value.text);
  const text = value.code === true ? `<code>${escaped}</code>` : escaped;
  const href = safeHref(value.href);
  return href === undefined ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
}
