import type { Copy, Evidence, Fact, Report, Table, Text } from '../../operations/report.ts';
import { safeHref } from './escape.ts';

/** What a job summary or comment says. */
export interface SummaryContent {
  /** `✅ Compliant`. */
  readonly verdict: string;
  readonly conclusion: string;
  /** True if the evidence in the report says everything that the conclusion does. */
  readonly isInEvidence?: boolean;
  /** What the reader can do about an error. */
  readonly remedy?: string;
  readonly report?: Report;
  /** The commit, which a comment names because a pull request has several. */
  readonly commit?: Fact;
  /** Why the verdict is not for that commit. */
  readonly caution?: string;
  readonly runUrl: string | undefined;
}

/** The part of the content that is shown; always the verdict. */
export type ShownContent = Partial<SummaryContent> & Pick<SummaryContent, 'verdict' | 'runUrl'>;

/** How much is shown. */
export interface SummaryExtent {
  /** The maximum number of rows of a table. */
  readonly rows: number;
  /** What is left out, with a verb: `The tables are`. */
  readonly cut?: string;
}

/** Escapes a text for HTML; code is escaped but otherwise left as it is. */
export type Escape = (text: string, isCode: boolean) => string;

/** Renders HTML without blank lines, so that Markdown treats it as one block. */
export function renderSummaryHtml(summary: ShownContent, { rows, cut }: SummaryExtent, escape: Escape): string {
  const { verdict, conclusion, remedy, report, commit, caution, runUrl } = summary;
  const isRepetition = summary.isInEvidence === true && report?.evidence !== undefined;
  const text = (value: string): string => escape(value, false);
  const prose = (value: string): string => renderProse(value, escape);
  const cell = (value: Text): string => renderText(value, escape);
  const parts = [
    `<h2>${text(report === undefined ? verdict : `${verdict}: ${report.subject}`)}</h2>`,
    ...(caution === undefined ? [] : [`<p>⚠️ <b>${prose(caution)}</b></p>`]),
    ...(conclusion === undefined || isRepetition ? [] : [`<p>${prose(conclusion)}</p>`]),
    ...(remedy === undefined ? [] : [`<p><b>What to do:</b> ${prose(remedy)}</p>`]),
    ...(report === undefined ? [] : renderReport(report, rows, escape)),
    ...(cut === undefined
      ? []
      : [`<p>${cut} too large to show here; see the log and the <code>response-path</code> file.</p>`]),
    ...(commit === undefined ? [] : [`<p>${text(commit.label)}: ${cell(commit.value)}</p>`]),
    ...(runUrl === undefined ? [] : [`<p>${cell({ text: 'Workflow run', href: runUrl })}</p>`]),
  ];
  return `${parts.join('\n')}\n\n`;
}

/** Renders a sentence of a log or an annotation: what is between backticks is code. */
function renderProse(text: string, escape: Escape): string {
  return text
    .split(/`([^`\n]+)`/u)
    .map((part, index) => (index % 2 === 0 ? escape(part, false) : `<code>${escape(part, true)}</code>`))
    .join('');
}

/** The evidence and the tables come first because they decide; without evidence, the facts do. */
function renderReport(report: Report, rows: number, escape: Escape): readonly string[] {
  const { evidence, copies } = report;
  const facts = renderFacts(report, escape);
  const tables = report.tables.map((table) => renderTable(table, rows, escape));
  const folded = copies === undefined ? [] : [renderCopies(copies, rows, escape)];
  if (evidence === undefined) return [facts, ...tables, ...folded];
  return [...renderEvidence(evidence, rows, escape), ...tables, `<h3>Details</h3>\n${facts}`, ...folded];
}

function renderEvidence(
  { table, notes, problems, moreProblems }: Evidence,
  rows: number,
  escape: Escape,
): readonly string[] {
  const lines = problems
    .slice(0, rows)
    .map((line) => `<li>${line.map((text) => renderText(text, escape)).join('')}</li>`);
  const hidden = problems.length - lines.length + moreProblems;
  return [
    renderTable(table, rows, escape),
    ...notes.map((note) => `<p>${renderProse(note, escape)}</p>`),
    ...(lines.length === 0 ? [] : [`<h3>Missing or failed</h3>\n<ul>${lines.join('')}</ul>`]),
    ...(hidden === 0 ? [] : [`<p>${hidden} more are in the <code>response-path</code> file.</p>`]),
  ];
}

/** Collapsed, because they are only needed for copying; in the format of `sha256sum`. */
function renderCopies(copies: readonly Copy[], maximumRows: number, escape: Escape): string {
  const lines = copies
    .slice(0, maximumRows)
    .map(({ label, text }) => escape(`${text}  ${label}`.trim(), true))
    // A blank line would end the HTML block.
    .filter((line) => line !== '');
  return `<details><summary>Full fingerprints</summary><pre>${lines.join('\n')}</pre></details>`;
}

function renderFacts(report: Report, escape: Escape): string {
  const rows = report.facts.map(
    ({ label, value }) => `<tr><th align="left">${escape(label, false)}</th><td>${renderText(value, escape)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderTable(table: Table, maximumRows: number, escape: Escape): string {
  const head = table.columns.map((column) => `<th align="left">${escape(column, false)}</th>`).join('');
  const rows = table.rows
    .slice(0, maximumRows)
    .map((row) => `<tr>${row.map((value) => `<td>${renderText(value, escape)}</td>`).join('')}</tr>`)
    .join('');
  const hidden = Math.max(0, table.rows.length - maximumRows) + (table.more ?? 0);
  const more = hidden > 0 ? `\n<p>${hidden} more rows are in the <code>response-path</code> file.</p>` : '';
  return `<h3>${escape(table.title, false)}</h3>\n<table><tr>${head}</tr>${rows}</table>${more}`;
}

function renderText({ text, code, href }: Text, escape: Escape): string {
  const escaped = escape(text, code === true);
  const shown = code === true ? `<code>${escaped}</code>` : escaped;
  const safe = safeHref(href);
  return safe === undefined ? shown : `<a href="${escape(safe, true)}">${shown}</a>`;
}
