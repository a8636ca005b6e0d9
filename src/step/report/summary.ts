import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { StepResult } from '../run/step-result.ts';
import { escapeHtmlLine } from './escape.ts';
import { renderSummaryHtml, type ShownContent, type SummaryContent, type SummaryExtent } from './summary-html.ts';

export function toSummaryContent({ decision, result, runUrl, checkpoint }: StepResult): SummaryContent {
  const { verdict, conclusion, remedy } = decision;
  const isJudged = result !== undefined && result.failure === undefined && result.conclusion === conclusion;
  const isOnRecord = result?.spoolPath === undefined && result?.lost === undefined;
  const href = result?.attestationUrl ?? result?.htmlUrl;
  const optional = omitUndefined({ checkpoint, remedy, report: result?.report, href });
  return { verdict, conclusion, isInReport: isJudged && isOnRecord, runUrl, ...optional };
}

/**
 * The maximum number of rows of a table: first the usual one, then the one for a summary that would be too large.
 * Further rows are counted but not shown, because GitHub rejects large summaries.
 */
const rowLimits = [200, 20];

/** Where conclusion and remedy are cut if everything is too large, in characters. The reason comes first in both. */
const maximumReasonLength = 2000;

/**
 * Renders a job summary, verdict first, as HTML that GitHub's Markdown accepts.
 *
 * The work is bounded by the room, however large the content: a variant is abandoned as soon as its texts exceed the
 * room.
 *
 * @param room the maximum size in bytes. What does not fit is left out: first rows of the tables, then the tables, then
 * the facts and the end of the conclusion, then everything but the verdict, and finally that, too
 * @param transform applied to each text that is not code, before escaping
 */
export function renderSummary(
  text: SummaryContent,
  room: number,
  transform: (text: string) => string = (unchanged) => unchanged,
): string {
  for (const { shown, ...extent } of createVariants(text)) {
    let left = room;
    const html = renderSummaryHtml(shown, extent, (part, isCode) => {
      left -= part.length;
      if (left < 0) return '';
      return escapeHtmlLine(isCode ? part : transform(part));
    });
    // A character takes at least one byte, so a text with too many characters is too large.
    if (left >= 0 && Buffer.byteLength(html) <= room) return html;
  }
  return '';
}

interface Variant extends SummaryExtent {
  readonly shown: ShownContent;
}

/** From the whole content to the verdict alone. */
function createVariants(text: SummaryContent): readonly Variant[] {
  const { verdict, conclusion, remedy, commit, caution, runUrl, report } = text;
  const about = { verdict, runUrl, ...omitUndefined({ commit, caution }) };
  const reason = {
    conclusion: truncate(conclusion, maximumReasonLength),
    ...(remedy === undefined ? {} : { remedy: truncate(remedy, maximumReasonLength) }),
  };
  const withoutTables =
    report === undefined ? text : { ...text, report: { subject: report.subject, facts: report.facts } };
  return [
    ...rowLimits.map((rows) => ({ shown: text, rows })),
    { shown: withoutTables, rows: 0, cut: 'The tables are' },
    { shown: { ...about, ...reason }, rows: 0, cut: 'The report is' },
    { shown: about, rows: 0, cut: 'The report is' },
  ];
}
