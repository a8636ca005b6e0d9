import type { Fact, Report, Table, Text } from '../operations/report.ts';
import type { Ending } from './conclude.ts';
import { escapeHtml, safeHref } from './escape.ts';

/** What a summary says. */
export interface SummaryText {
  /** `✅ Compliant`. */
  readonly verdict: string;
  readonly conclusion: string;
  /** What the reader can do, where something went wrong. */
  readonly remedy?: string;
  readonly report?: Report;
  /** The commit that it is about, where people look for more than one. */
  readonly commit?: Fact;
  /** What keeps the verdict from being one about that commit. */
  readonly caution?: string;
  readonly runUrl: string | undefined;
}

/** What the summary of an ending says. */
export function summaryTextOf({ decision, result, runUrl }: Ending): SummaryText {
  const { verdict, conclusion, remedy } = decision;
  return {
    verdict,
    conclusion,
    runUrl,
    ...(remedy === undefined ? {} : { remedy }),
    ...(result === undefined ? {} : { report: result.report }),
  };
}

/** Rows beyond these are counted, not shown: a summary is read, and GitHub refuses a large one. */
const maximumRows = 200;

/** The rows that a table has in a summary that is too large with more of them. */
const fewRows = 20;

/** The characters of the conclusion and of the remedy where all of it is too large; the reason is at the beginning. */
const longestReason = 2000;

/**
 * The job summary, verdict first, as HTML that GitHub's Markdown passes on.
 *
 * @param room how many bytes it may have; what does not fit is left out: rows of the tables, then the tables, then the facts
 * and the end of the conclusion, then all but the verdict, then that
 * @param finish what else is done to the HTML, before it is measured
 */
export function renderSummary(
  text: SummaryText,
  room: number,
  finish: (html: string) => string = (html) => html,
): string {
  const { verdict, conclusion, remedy, commit, caution, runUrl, report } = text;
  const about = {
    verdict,
    runUrl,
    ...(commit === undefined ? {} : { commit }),
    ...(caution === undefined ? {} : { caution }),
  };
  const reason = {
    conclusion: beginning(conclusion),
    ...(remedy === undefined ? {} : { remedy: beginning(remedy) }),
  };
  const forms = [
    () => render(text, { rows: maximumRows }),
    () => render(text, { rows: fewRows }),
    () =>
      render(report === undefined ? text : { ...text, report: { ...report, tables: [] } }, { cut: 'The tables are' }),
    () => render({ ...about, ...reason }, { cut: 'The report is' }),
    () => render(about, { cut: 'The report is' }),
  ];
  for (const form of forms) {
    const html = finish(form());
    if (Buffer.byteLength(html) <= room) return html;
  }
  return '';
}

function beginning(text: string): string {
  return text.length <= longestReason ? text : `${text.slice(0, longestReason - 1).toWellFormed()}…`;
}

/** How much of a summary is shown. */
interface Extent {
  /** The most rows of a table. */
  readonly rows?: number;
  /** What is left out, with its verb, where something is. */
  readonly cut?: string;
}

function render(
  text: Partial<SummaryText> & Pick<SummaryText, 'verdict' | 'runUrl'>,
  { rows = maximumRows, cut }: Extent,
): string {
  const { verdict, conclusion, remedy, report, commit, caution, runUrl } = text;
  const parts = [
    `<h2>${escapeHtml(report === undefined ? verdict : `${verdict}: ${report.subject}`)}</h2>`,
    ...(caution === undefined ? [] : [`<p>⚠️ <b>${escapeHtml(caution)}</b></p>`]),
    ...(conclusion === undefined ? [] : [`<p>${escapeHtml(conclusion)}</p>`]),
    ...(remedy === undefined ? [] : [`<p><b>What to do:</b> ${escapeHtml(remedy)}</p>`]),
    ...(report === undefined ? [] : [renderFacts(report), ...report.tables.map((table) => renderTable(table, rows))]),
    ...(cut === undefined
      ? []
      : [`<p>${cut} too large to be shown here; see the log and the file of <code>response-path</code>.</p>`]),
    ...(commit === undefined ? [] : [`<p>${escapeHtml(commit.label)}: ${cell(commit.value)}</p>`]),
    ...(runUrl === undefined ? [] : [`<p>${cell({ text: 'Workflow run', href: runUrl })}</p>`]),
  ];
  return `${parts.join('\n')}\n\n`;
}

function renderFacts(report: Report): string {
  const rows = report.facts.map(
    ({ label, value }) => `<tr><th align="left">${escapeHtml(label)}</th><td>${cell(value)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderTable(table: Table, most: number): string {
  const head = table.columns.map((column) => `<th align="left">${escapeHtml(column)}</th>`).join('');
  const rows = table.rows
    .slice(0, most)
    .map((row) => `<tr>${row.map((value) => `<td>${cell(value)}</td>`).join('')}</tr>`)
    .join('');
  const hidden = Math.max(0, table.rows.length - most) + (table.more ?? 0);
  const more = hidden > 0 ? `\n<p>${hidden} more rows are in the file of <code>response-path</code>.</p>` : '';
  return `<h3>${escapeHtml(table.title)}</h3>\n<table><tr>${head}</tr>${rows}</table>${more}`;
}

function cell(value: Text): string {
  const escaped = escapeHtml(value.text);
  const text = value.code === true ? `<code>${escaped}</code>` : escaped;
  const href = safeHref(value.href);
  return href === undefined ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
}
