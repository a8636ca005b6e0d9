import type { GitHubApi } from '../../evidence/github/github-api.ts';
import { type GitHubRefusal, unexpectedGitHubResponse } from '../../evidence/github/github-refusal.ts';
import { reasonWords } from '../../operations/reasons.ts';
import { summarizeList } from '../../operations/sentences.ts';
import { printable } from '../../runtime/printable.ts';
import { truncate } from '../../runtime/truncate.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { safeHref } from '../report/escape.ts';
import type { StepResult } from '../run/step-result.ts';
import { type CommitMatch, describeOtherCommits } from './commit-match.ts';

/** The states of a commit status (GitHub's documentation, "Create a commit status"). */
type StatusState = 'success' | 'failure' | 'error' | 'pending';

export interface CommitStatus {
  readonly state: StatusState;
  /** One line of at most 140 characters. */
  readonly description: string;
  /** The page that the result names, else that of the workflow run. */
  readonly targetUrl: string | undefined;
}

/** GitHub's limit for a description, in characters. */
const maximumDescriptionLength = 140;

/** More reasons than fit into a description. */
const maximumTried = 10;

/**
 * The commit status of a redacted result. If another commit was judged, it is not a success: last week's artifact must
 * not allow a merge of today's commit.
 */
export function toCommitStatus(stepResult: StepResult, commit: CommitMatch): CommitStatus {
  const { decision, result, runUrl } = stepResult;
  const state = toStatusState(decision);
  const other = state === 'success' ? describeOtherCommits(commit) : undefined;
  return {
    state: other === undefined ? state : 'failure',
    description: other === undefined ? describeResult(stepResult) : toDescription(`Not for this commit: ${other}.`),
    targetUrl: safeHref(result?.htmlUrl) ?? safeHref(runUrl),
  };
}

/** The status while the step waits for a verdict. */
export function pendingStatus(runUrl: string | undefined): CommitStatus {
  return { state: 'pending', description: 'Waiting for the verdict.', targetUrl: safeHref(runUrl) };
}

/**
 * The state follows the verdict, not `on-non-compliant`: a required status must not turn green because the step may
 * pass. If there is no verdict yet and the step passes, or nothing was judged, the status is pending, which blocks a
 * merge as well.
 */
function toStatusState({ outcome, fails }: StepResult['decision']): StatusState {
  switch (outcome) {
    case 'compliant':
    case 'done':
      return 'success';
    case 'non-compliant':
      return 'failure';
    case 'incomplete':
      return fails ? 'failure' : 'pending';
    case 'kept':
    case 'skipped':
      return 'pending';
    case 'error':
      return 'error';
  }
}

/**
 * The verdict with as many reasons as there is room for, and how many more there are: `Non-compliant: sonar: …; and 2
 * more`. Without reasons, the conclusion.
 */
function describeResult({ decision, result }: StepResult): string {
  const verdict = verdictWords[decision.outcome];
  const { reasons = [] } = result?.report ?? {};
  const words = reasons.slice(0, maximumTried).map((reason) => toLine(reasonWords(reason)));
  const [first] = words;
  if (verdict === undefined || first === undefined) return toDescription(decision.conclusion);
  for (let count = words.length; count > 0; count -= 1) {
    const text = `${verdict}: ${summarizeList(words, count, { rest: reasons.length - count })}`;
    if (text.length <= maximumDescriptionLength) return text;
  }
  const rest = reasons.length === 1 ? '' : `; and ${reasons.length - 1} more`;
  return truncate(`${verdict}: ${first}`, maximumDescriptionLength - rest.length) + rest;
}

const verdictWords: Readonly<Partial<Record<StepResult['decision']['outcome'], string>>> = {
  'non-compliant': 'Non-compliant',
  incomplete: 'Incomplete',
};

function toDescription(text: string): string {
  return truncate(toLine(text), maximumDescriptionLength);
}

/** One line. Characters beyond the Basic Multilingual Plane are replaced, because GitHub does not store them. */
function toLine(text: string): string {
  return printable(text)
    .toWellFormed()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .trim();
}

/**
 * Sets a status on a commit. A later status with the same context replaces it, so a retry does no harm. A response that
 * does not repeat the status, such as a proxy's page, counts as a refusal.
 */
export async function setStatus(
  { state, description, targetUrl }: CommitStatus,
  { sha, context }: { readonly sha: string; readonly context: string },
  api: GitHubApi,
): Promise<{ readonly set: true } | { readonly refusal: GitHubRefusal }> {
  const answer = await api.ask({
    route: 'POST /repos/{owner}/{repo}/statuses/{sha}',
    parameters: { sha, state, context, description, ...(targetUrl === undefined ? {} : { target_url: targetUrl }) },
    repeatable: true,
  });
  if ('refusal' in answer) return answer;
  const isSet = textAt(answer.body, 'state') === state && textAt(answer.body, 'context') === context;
  return isSet ? { set: true } : unexpectedGitHubResponse(answer.body, 'the status');
}
