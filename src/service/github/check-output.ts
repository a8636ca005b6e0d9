import { type Verdict, verdictFromArtifactState, worstVerdict } from '../../contract/compliance.ts';
import { describeFault, describeReason } from '../../contract/reason.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { Judgement } from '../artifact/artifact-state.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import type { PagePaths } from '../platform/page-paths.ts';
import { toSingleLine } from '../platform/single-line.ts';

/** What is known about a commit in a flow. */
export interface CommitVerdict {
  readonly org: string;
  readonly flow: string;
  /** The trails with the commit: the worst counts. None: it has not begun. */
  readonly trails: readonly { readonly name: string; readonly judgement: Omit<Judgement, 'note'> }[];
  /** What the flow's template requires of a trail that has not begun. */
  readonly required: readonly JudgementReason[];
  /** When the verdict may change although nothing is recorded, in Unix seconds; undefined for never. */
  readonly changesAt?: number | undefined;
}

/** What a check run says, in the fields of GitHub's API. */
export interface CheckOutput {
  readonly status: 'in_progress' | 'completed';
  /** Undefined while it is in progress. */
  readonly conclusion: 'success' | 'failure' | undefined;
  readonly details_url: string;
  readonly output: { readonly title: string; readonly summary: string };
}

/**
 * The maximum length of a check's summary, in bytes: GitHub's documentation says 65,535 characters, and its API counts
 * bytes (github/rest-api-description, issue 5399).
 */
const maximumSummary = 65_535;
/** The maximum length of the comment about a deployment, in bytes; GitHub's documentation says 1,024 characters. */
const maximumComment = 1024;
/** The maximum lengths of a title and of a text in a comment, and of a text in a summary, in characters. */
const [shortText, longText] = [200, 600];

const states: Readonly<Record<Verdict, Pick<CheckOutput, 'status' | 'conclusion'>>> = {
  compliant: { status: 'completed', conclusion: 'success' },
  'non-compliant': { status: 'completed', conclusion: 'failure' },
  incomplete: { status: 'in_progress', conclusion: undefined },
};

/** What the check of a commit says: the verdict of its trail, and the reasons. */
export function toCheckOutput({ org, flow, trails, required }: CommitVerdict, pages: PagePaths): CheckOutput {
  const judged = trails.map((trail) => ({
    ...trail,
    // A state outside the interface is never a pass.
    verdict: verdictFromArtifactState(trail.judgement.state) ?? 'incomplete',
  }));
  const verdict = worstVerdict(judged.map((trail) => trail.verdict)) ?? 'incomplete';
  const worst = judged.find((trail) => trail.verdict === verdict);
  const { state, info, reasons } = worst?.judgement ?? { info: 'the trail has not begun', reasons: required };
  const [first, ...others] = worst === undefined ? [] : reasons;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const title = first === undefined ? info : describeReason(first);
  const head =
    worst === undefined
      ? `The trail of this commit in the flow ${code(flow)} has not begun.${required.length > 0 ? ' It requires:' : ''}`
      : `The trail ${code(worst.name)} of the flow ${code(flow)} is ${state}.${describeOthers(trails.length)}`;
  const lines = reasons.map((reason) => {
    const page = pages.reason(org, reason.about, reason.source);
    const about = code(reason.about);
    return `- ${page === undefined ? about : `[${about}](${page})`}: ${code(describeFault(reason), longText)}`;
  });
  return {
    ...states[verdict],
    details_url: worst === undefined ? pages.flow(org, flow) : pages.trail(org, flow, worst.name, first?.about),
    output: {
      title: `${truncate(toSingleLine(title), shortText - more.length)}${more}`,
      summary: fit([head, '', ...(lines.length === 0 ? [code(info, longText)] : lines)], maximumSummary),
    },
  };
}

function describeOthers(count: number): string {
  return count > 1 ? ` ${count} trails have this commit; the worst counts.` : '';
}

/** A comment about a deployment: a sentence of the service, and reasons. */
export function toDeploymentComment(sentence: string, reasons: readonly JudgementReason[]): string {
  const lines = reasons.map((reason) => `- ${code(describeReason(reason))}`);
  return fit([sentence, '', ...lines], maximumComment);
}

/**
 * Foreign text within Markdown. GitHub interprets nothing in a code span: no link, no mention, no HTML. Only a backtick
 * ends it.
 */
export function code(text: string, maximumLength = shortText): string {
  return `\`${truncate(toSingleLine(text, maximumLength), maximumLength).replaceAll('`', "'") || ' '}\``;
}

/** As many lines as fit; if there are more, the last one counts the others. The first lines always fit. */
function fit(lines: readonly string[], maximumBytes: number): string {
  const all = lines.join('\n').trimEnd();
  if (Buffer.byteLength(all) <= maximumBytes) return all;
  const toMore = (count: number): string => `- and ${count} more`;
  let left = maximumBytes - Buffer.byteLength(toMore(lines.length));
  const shown = lines.filter((line) => (left -= Buffer.byteLength(line) + 1) >= 0);
  return [...shown, toMore(lines.length - shown.length)].join('\n');
}
