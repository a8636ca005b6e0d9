import type { Copy, Evidence, Fact, Report, Table, Text } from '../../operations/report.ts';
import { safeHref } from './escape.ts';

/** What a summary says. */
export interface SummaryContent {
  /** `✅ Compliant`. */
  readonly verdict: string;
  readonly conclusion: string;
  /** True if the evidence of the report shows all that the conclusion says. */
  readonly isInEvidence?: boolean;
  /** What the reader can do, where something went wrong. */
  readonly remedy?: string;
  readonly report?: Report;
  /** The commit that it is about, where people look for more than one. */
  readonly commit?: Fact;
  /** What keeps the verdict from being one about that commit. */
  readonly caution?: string;
  readonly runUrl: string | undefined;
}

/** What is shown of a summary: the verdict always. */
export type ShownContent = Partial<SummaryContent> & Pick<SummaryContent, 'verdict' | 'runUrl'>;

/** How much of a summary is shown. */
export interface SummaryExtent {
  /** The most rows of a table. */
  readonly rows: number;
  /** What is left out, with its verb, where something is. */
  readonly cut?: string;
}

/** Makes HTML of a text, which may be code. */
export type Escape = (text: string, isCode: boolean) => string;

/** A summary as HTML without an empty line, so that Markdown passes it on as one block. */
export function renderSummaryHtml(summary: ShownContent, { rows, cut }: SummaryExtent, escape: Escape): string {
  const { verdict, conclusion, remedy, report, commit, caution, runUrl } = summary;
  const isRepetition = summary.isInEvidence === true && report?.evidence !== undefined;
  const text = (value: string): string => escape(value, false);
  const cell = (value: Text): string => renderText(value, escape);
  const parts = [
    `<h2>${text(report === undefined ? verdict : `${verdict}: ${report.subject}`)}</h2>`,
    ...(caution === undefined ? [] : [`<p>⚠️ <b>${text(caution)}</b></p>`]),
    ...(conclusion === undefined || isRepetition ? [] : [`<p>${text(conclusion)}</p>`]),
    ...(remedy === undefined ? [] : [`<p><b>What to do:</b> ${text(remedy)}</p>`]),
    ...(report === undefined ? [] : renderReport(report, rows, escape)),
    ...(cut === undefined
      ? []
      : [`<p>${cut} too large to be shown here; see the log and the file of <code>response-path</code>.</p>`]),
    ...(commit === undefined ? [] : [`<p>${text(commit.label)}: ${cell(commit.value)}</p>`]),
    ...(runUrl === undefined ? [] : [`<p>${cell({ text: 'Workflow run', href: runUrl })}</p>`]),
  ];
  return `${parts.join('\n')}\n\n`;
}

/** What decides comes first: the evidence and the tables about it; where there is none, the facts. */
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
    ...notes.map((note) => `<p>${escape(note, false)}</p>`),
    ...(lines.length === 0 ? [] : [`<h3>Missing or failed</h3>\n<ul>${lines.join('')}</ul>`]),
    ...(hidden === 0 ? [] : [`<p>${hidden} more are in the file of <code>response-path</code>.</p>`]),
  ];
}

/** Folded, since only who wants to copy one looks for it; a line each, as `sha256sum` writes them. */
function renderCopies(copies: readonly Copy[], most: number, escape: Escape): string {
  const lines = copies
    .slice(0, most)
    .map(({ label, text }) => escape(`${text}  ${label}`.trim(), true))
    // An empty line would end the block of HTML.
    .filter((line) => line !== '');
  return `<details><summary>Whole fingerprints</summary><pre>${lines.join('\n')}</pre></details>`;
}

function renderFacts(report: Report, escape: Escape): string {
  const rows = report.facts.map(
    ({ label, value }) => `<tr><th align="left">${escape(label, false)}</th><td>${renderText(value, escape)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderTable(table: Table, most: number, escape: Escape): string {
  const head = table.columns.map((column) => `<th align="left">${escape(column, false)}</th>`).join('');
  const rows = table.rows
    .slice(0, most)
    .map((row) => `<tr>${row.map((value) => `<td>${renderText(value, escape)}</td>`).join('')}</tr>`)
    .join('');
  const hidden = Math.max(0, table.rows.length - most) + (table.more ?? 0);
  const more = hidden > 0 ? `\n<p>${hidden} more rows are in the file of <code>response-path</code>.</p>` : '';
  return `<h3>${escape(table.title, false)}</h3>\n<table><tr>${head}</tr>${rows}</table>${more}`;
}

function renderText({ text, code, href }: Text, escape: Escape): string {
  const escaped = escape(text, code === true);
  const shown = code === true ? `<code>${escaped}</code>` : escaped;
  const safe = safeHref(href);
  return safe === undefined ? shown : `<a href="${escape(safe, true)}">${shown}</a>`;
}
