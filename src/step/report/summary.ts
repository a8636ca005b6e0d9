import type { StepResult } from '../run/step-result.ts';
import { escapeHtmlLine } from './escape.ts';
import { renderSummaryHtml, type SummaryExtent, type ShownContent, type SummaryContent } from './summary-html.ts';

/** What the summary of an ending says. */
export function toSummaryContent({ decision, result, runUrl }: StepResult): SummaryContent {
  const { verdict, conclusion, remedy } = decision;
  const isJudged = result !== undefined && result.failure === undefined && result.conclusion === conclusion;
  return {
    verdict,
    conclusion,
    isInEvidence: isJudged && result.report.evidence !== undefined,
    runUrl,
    ...(remedy === undefined ? {} : { remedy }),
    ...(result === undefined ? {} : { report: result.report }),
  };
}

/**
 * The most rows of a table, and how many it has in a summary that is too large with more of them. Rows beyond these are
 * counted, not shown: a summary is read, and GitHub refuses a large one.
 */
const rowLimits = [200, 20];

/** The characters of the conclusion and of the remedy where all of it is too large; the reason is at the beginning. */
const longestReason = 2000;

/**
 * The job summary, verdict first, as HTML that GitHub's Markdown passes on.
 *
 * The work is bounded by the room, however much there is to say: a form of the summary is given up as soon as its texts
 * alone are larger.
 *
 * @param room how many bytes it may have; what does not fit is left out: rows of the tables, then the tables, then the facts
 * and the end of the conclusion, then all but the verdict, then that
 * @param inText what is done to each text that is not code, before it is escaped
 */
export function renderSummary(
  text: SummaryContent,
  room: number,
  inText: (text: string) => string = (unchanged) => unchanged,
): string {
  for (const { shown, ...extent } of formsOf(text)) {
    let left = room;
    const html = renderSummaryHtml(shown, extent, (part, isCode) => {
      left -= part.length;
      if (left < 0) return '';
      return escapeHtmlLine(isCode ? part : inText(part));
    });
    // A character takes at least a byte, so what is too long is too large.
    if (left >= 0 && Buffer.byteLength(html) <= room) return html;
  }
  return '';
}

interface Form extends SummaryExtent {
  readonly shown: ShownContent;
}

/** From all that there is to say to the verdict alone. */
function formsOf(text: SummaryContent): readonly Form[] {
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
  const withoutTables =
    report === undefined ? text : { ...text, report: { subject: report.subject, facts: report.facts, tables: [] } };
  return [
    ...rowLimits.map((rows) => ({ shown: text, rows })),
    { shown: withoutTables, rows: 0, cut: 'The tables are' },
    { shown: { ...about, ...reason }, rows: 0, cut: 'The report is' },
    { shown: about, rows: 0, cut: 'The report is' },
  ];
}

function beginning(text: string): string {
  return text.length <= longestReason ? text : `${text.slice(0, longestReason - 1).toWellFormed()}…`;
}
