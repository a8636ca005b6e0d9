import type { Reason } from '../../contract/reason.ts';
import { toReasonLines } from '../../operations/reasons.ts';
import type { Copy, Fact, Report, Table, Text } from '../../operations/report.ts';
import { safeHref } from './escape.ts';

/** What a job summary or comment says. */
export interface SummaryContent {
  /** `✅ Compliant`. */
  readonly verdict: string;
  readonly conclusion: string;
  /** True if the report says everything that the conclusion does, as far as it has reasons or evidence. */
  readonly isInReport?: boolean;
  /** What the reader can do about an error. */
  readonly remedy?: string;
  readonly report?: Report;
  /** The page of what the report is about. */
  readonly href?: string | undefined;
  /** The commit, which a comment names because a pull request has several. */
  readonly commit?: Fact;
  /** Why the verdict is not for that commit. */
  readonly caution?: string;
  readonly runUrl: string | undefined;
  /** The checkpoint of the log that includes what was recorded or judged. */
  readonly checkpoint?: string;
}

/** The part of the content that is shown; always the verdict. */
export type ShownContent = Partial<SummaryContent> & Pick<SummaryContent, 'verdict' | 'runUrl'>;

/** How much is shown. */
export interface SummaryExtent {
  readonly rows: number;
  /** What is left out, with a verb: `The tables are`. */
  readonly cut?: string;
}

/** Escapes a text for HTML; code is escaped but otherwise left as it is. */
export type Escape = (text: string, isCode: boolean) => string;

/** Renders HTML without blank lines, so that Markdown treats it as one block. */
export function renderSummaryHtml(summary: ShownContent, { rows, cut }: SummaryExtent, escape: Escape): string {
  const { verdict, conclusion, remedy, report, href, commit, caution, runUrl, checkpoint } = summary;
  const text = (value: string): string => escape(value, false);
  const prose = (value: string): string => renderProse(value, escape);
  const cell = (value: Text): string => renderText(value, escape);
  const { shown, folded } = report === undefined ? { shown: [], folded: [] } : renderReport(report, rows, escape);
  const details = [...folded, ...(checkpoint === undefined ? [] : [renderCheckpoint(checkpoint, escape)])];
  const parts = [
    `<h2>${text(verdict)}${report === undefined ? '' : `: ${cell({ text: report.subject, href })}`}</h2>`,
    ...(caution === undefined ? [] : [`<p>⚠️ <b>${prose(caution)}</b></p>`]),
    ...(conclusion === undefined || isRepeated(summary) ? [] : [`<p>${prose(conclusion)}</p>`]),
    ...(remedy === undefined ? [] : [`<p><b>What to do:</b> ${prose(remedy)}</p>`]),
    ...shown,
    ...(cut === undefined
      ? []
      : [`<p>${cut} too large to show here; see the log and the <code>response-path</code> file.</p>`]),
    ...(details.length === 0 ? [] : [`<details><summary>Details</summary>\n${details.join('\n')}\n</details>`]),
    ...(commit === undefined ? [] : [`<p>${text(commit.label)}: ${cell(commit.value)}</p>`]),
    ...(runUrl === undefined ? [] : [`<p>${cell({ text: 'Workflow run', href: runUrl })}</p>`]),
  ];
  return `${parts.join('\n')}\n\n`;
}

/** Whether the report says what the conclusion does. */
function isRepeated({ isInReport = false, report }: ShownContent): boolean {
  return isInReport && (report?.evidence !== undefined || (report?.reasons ?? []).length > 0);
}

/** Renders a sentence of a log or an annotation: what is between backticks is code. */
function renderProse(text: string, escape: Escape): string {
  return text
    .split(/`([^`\n]+)`/u)
    .map((part, index) => (index % 2 === 0 ? escape(part, false) : `<code>${escape(part, true)}</code>`))
    .join('');
}

/** How many reasons and how many rows of a table are not folded: a summary should fit on a screen. */
const shownRows = 10;

interface RenderedReport {
  readonly shown: readonly string[];
  /** What readers look for only if the rest is not enough. */
  readonly folded: readonly string[];
}

/** What the verdict is based on comes first: reasons and evidence; without evidence, facts and tables do. */
function renderReport(report: Report, rows: number, escape: Escape): RenderedReport {
  const { reasons = [], evidence, tables = [], copies } = report;
  const facts: RenderedReport = { shown: [renderFacts(report, escape)], folded: [] };
  const listed = tables.map((table) => renderTable(table, rows, escape));
  const notes = (evidence?.notes ?? []).map((note) => `<p>${renderProse(note, escape)}</p>`);
  const parts: readonly RenderedReport[] = [
    renderReasons(reasons, rows, escape),
    ...(evidence === undefined
      ? [facts, ...listed]
      : [
          ...(evidence.table === undefined ? [] : [renderTable(evidence.table, rows, escape)]),
          { shown: notes, folded: [] },
          ...[...listed, facts].map(foldAll),
        ]),
    { shown: [], folded: copies === undefined ? [] : [renderCopies(copies, rows, escape)] },
  ];
  return { shown: parts.flatMap(({ shown }) => shown), folded: parts.flatMap(({ folded }) => folded) };
}

const foldAll = ({ shown, folded }: RenderedReport): RenderedReport => ({ shown: [], folded: [...shown, ...folded] });

function renderReasons(reasons: readonly Reason[], maximumRows: number, escape: Escape): RenderedReport {
  const { lines, more } = toReasonLines(reasons);
  const items = lines
    .slice(0, maximumRows)
    .map((line) => `<li>${line.map((text) => renderText(text, escape)).join('')}</li>`);
  const hidden = lines.length - items.length + more;
  const [shown, folded] = [items.slice(0, shownRows), items.slice(shownRows)];
  const rest = folded.length === 0 ? '' : `${folded.length} more are under Details. `;
  const left = hidden === 0 ? '' : `${hidden} more are in the <code>response-path</code> file.`;
  return {
    shown: [
      ...(shown.length === 0 ? [] : [`<ul>${shown.join('')}</ul>`]),
      ...(rest + left === '' ? [] : [`<p>${(rest + left).trim()}</p>`]),
    ],
    folded: folded.length === 0 ? [] : [`<ul>${folded.join('')}</ul>`],
  };
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

/** Collapsed, to be copied. Its lines are separated by references, because a blank line would end the HTML block. */
function renderCheckpoint(checkpoint: string, escape: Escape): string {
  const lines = checkpoint.split('\n').map((line) => escape(line, true));
  return `<details><summary>Checkpoint of the log</summary><pre>${lines.join('&#10;')}</pre></details>`;
}

function renderFacts(report: Report, escape: Escape): string {
  const rows = report.facts.map(
    ({ label, value }) => `<tr><th align="left">${escape(label, false)}</th><td>${renderText(value, escape)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderTable(table: Table, maximumRows: number, escape: Escape): RenderedReport {
  const head = table.columns.map((column) => `<th align="left">${escape(column, false)}</th>`).join('');
  const rows = table.rows
    .slice(0, maximumRows)
    .map((row) => `<tr>${row.map((value) => `<td>${renderText(value, escape)}</td>`).join('')}</tr>`);
  const toTable = (some: readonly string[], title: string): string =>
    `<h3>${title}</h3>\n<table><tr>${head}</tr>${some.join('')}</table>`;
  const title = escape(table.title, false);
  const folded = rows.slice(shownRows);
  const hidden = table.rows.length - rows.length + (table.more ?? 0);
  const more = hidden > 0 ? `\n<p>${hidden} more rows are in the <code>response-path</code> file.</p>` : '';
  if (folded.length === 0) return { shown: [toTable(rows, title) + more], folded: [] };
  const rest = `\n<p>${folded.length} more rows are under Details.</p>`;
  return {
    shown: [toTable(rows.slice(0, shownRows), title) + rest],
    folded: [toTable(folded, `${title}, continued`) + more],
  };
}

function renderText({ text, code, href }: Text, escape: Escape): string {
  const escaped = escape(text, code === true);
  const shown = code === true ? `<code>${escaped}</code>` : escaped;
  const safe = safeHref(href);
  return safe === undefined ? shown : `<a href="${escape(safe, true)}">${shown}</a>`;
}
