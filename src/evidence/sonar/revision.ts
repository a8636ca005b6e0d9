import { type FailureText, UserError } from '../../runtime/failure.ts';
import type { FinishedTask } from './background-task.ts';
import { parseSonarTime } from './sonar-time.ts';

/** The minimum number of digits of an abbreviated commit: git's own default. */
const minimumDigits = 7;

/**
 * Whether a revision names a commit: the full SHA in either case, or an abbreviation of at least seven digits, because
 * `sonar.scm.revision` is often set manually.
 */
export function namesCommit(revision: string, sha: string): boolean {
  const given = revision.trim().toLowerCase();
  const whole = sha.toLowerCase();
  if (given === whole) return true;
  return given.length >= minimumDigits && /^[0-9a-f]+$/u.test(given) && whole.startsWith(given);
}

/** What the job says about the commit, for the error about a different commit. */
export interface ScanEvent {
  readonly name: string | undefined;
  /** `GITHUB_SHA`, which scanners report on most events, whatever is checked out (docs/sonar.md, "Which commit"). */
  readonly sha: string | undefined;
  /** Whether the commit is the one of the input `commit-sha`, and not the event's. */
  readonly isCommitGiven: boolean;
}

/** Where an analysis comes from, for error messages. */
export interface ScanOrigin {
  readonly projectKey: string;
  readonly reportPath: string;
  readonly event: ScanEvent;
}

/**
 * Rejects an analysis of another commit than the one being attested: it would be a green gate for code that was not
 * scanned.
 *
 * @throws UserError if the revision does not name the expected commit
 */
export function refuseOtherCommit(revision: string, expected: string, origin: ScanOrigin): void {
  if (namesCommit(revision, expected)) return;
  const { event, projectKey, reportPath } = origin;
  const on = event.name === undefined ? '' : ` (event ${event.name})`;
  const attested = event.isCommitGiven ? 'the commit given as `commit-sha`' : 'the commit being attested';
  throw new UserError({
    input: 'sonar-report-path',
    what: `the Sonar analysis of project ${projectKey} (${reportPath}) is for commit ${revision}, but ${attested} is ${expected}${on}`,
    remedy: isGitHubSha(revision, event) ? setRevisionRemedy(expected, event) : scanAgainRemedy(expected, event),
  });
}

function isGitHubSha(revision: string, { sha }: ScanEvent): boolean {
  return sha !== undefined && namesCommit(revision, sha);
}

/** The scanner probably scanned the right code, but reported GITHUB_SHA for it. */
function setRevisionRemedy(expected: string, event: ScanEvent): string {
  return `The scanner reported GITHUB_SHA, as scanners do on most events, whatever is checked out: check out commit ${expected} before the scan, and scan with ${revisionProperty(expected, event)}.`;
}

function scanAgainRemedy(expected: string, event: ScanEvent): string {
  return `Attest in the job that scanned the commit, with the report of that scan and not one that is left over from an earlier run; if the scan did run on commit ${expected}, pass it to the scanner with ${revisionProperty(expected, event)}.`;
}

/** The expression for an event's commit; there is none for a comment. */
const headExpressions: ReadonlyMap<string, string> = new Map([
  ...['pull_request', 'pull_request_target', 'pull_request_review', 'pull_request_review_comment'].map(
    (name) => [name, 'github.event.pull_request.head.sha'] as const,
  ),
  ['workflow_run', 'github.event.workflow_run.head_sha'],
  ['merge_group', 'github.event.merge_group.head_sha'],
  ['check_suite', 'github.event.check_suite.head_sha'],
  ['check_run', 'github.event.check_run.head_sha'],
  ['deployment', 'github.event.deployment.sha'],
  ['deployment_status', 'github.event.deployment.sha'],
  ['status', 'github.event.sha'],
]);

function revisionProperty(expected: string, { name, isCommitGiven }: ScanEvent): string {
  const expression = isCommitGiven ? undefined : headExpressions.get(name ?? '');
  const inWorkflow =
    expression === undefined
      ? 'for the scan action as `with: args:`'
      : `for the scan action \`with: args: -Dsonar.scm.revision=\${{ ${expression} }}\``;
  return `\`-Dsonar.scm.revision=${expected}\` (${inWorkflow})`;
}

/** The values of the input `unverified-revision`: what to do with an analysis if nothing confirms its commit. */
export type UnverifiedRevision = 'warn' | 'fail';

/** The commit being attested, as far as it can be compared with an unconfirmed analysis. */
export interface ExpectedCommit {
  readonly sha: string;
  /** The committer date, in Unix seconds; undefined if no source gave it. */
  readonly committedAt: number | undefined;
}

/** How long before the commit a report may seem to have been submitted, in seconds: the clocks of machines differ. */
const clockToleranceSeconds = 600;

/** An analysis whose commit is not confirmed. */
export interface UnverifiedAnalysis {
  readonly projectKey: string;
  readonly reportPath: string;
  /** Why it is not confirmed, and how it could be. */
  readonly doubt: FailureText;
}

/**
 * Decides about an analysis whose commit is not confirmed.
 *
 * @returns a warning for the log
 * @throws UserError if the policy is `fail`
 */
export function acceptUnverified(
  { projectKey, reportPath, doubt }: UnverifiedAnalysis,
  { sha }: ExpectedCommit,
  policy: UnverifiedRevision,
): string {
  if (policy === 'warn') {
    return `revision not verified: nothing confirms that the Sonar analysis is for commit ${sha}. ${doubt.what} ${doubt.remedy}`;
  }
  throw new UserError({
    input: 'unverified-revision',
    what: `revision not verified: nothing confirms that the Sonar analysis of project ${projectKey} (${reportPath}) is for commit ${sha}, and \`unverified-revision\` is \`fail\`. ${doubt.what}`,
    remedy: `${doubt.remedy} Only if the workflow itself wrote the report for this commit, set \`unverified-revision: warn\`: the evidence then says that its revision is not verified.`,
  });
}

/**
 * A commit does not exist before its committer date, so a report that was submitted earlier is not about it.
 *
 * @returns why that could not be checked, as a sentence; undefined if it could
 * @throws UserError if the report was submitted too early
 */
export function refuseOlderThanCommit(
  { projectKey, submittedAt }: Pick<FinishedTask, 'projectKey' | 'submittedAt'>,
  { sha, committedAt }: ExpectedCommit,
  reportPath: string,
): string | undefined {
  const submitted = parseSonarTime(submittedAt);
  if (committedAt === undefined || submitted === undefined) {
    const missing =
      committedAt === undefined ? "the commit's committer date" : 'the time when the report was submitted';
    return `Whether the analysis is older than the commit could not be checked, because ${missing} is not known.`;
  }
  if (submitted >= (committedAt - clockToleranceSeconds) * 1000) return undefined;
  throw new UserError({
    input: 'sonar-report-path',
    what: `the Sonar analysis of project ${projectKey} (${reportPath}) was submitted at ${new Date(submitted).toISOString()}, more than ${clockToleranceSeconds / 60} minutes before the commit being attested, ${sha}, was made (${toIsoString(committedAt)}), so it is for another commit`,
    remedy:
      'Scan the commit and attest the report of that scan, in the same job; on a self-hosted runner, clean the workspace first, because it may contain the report of an earlier run.',
  });
}

/** Formats a time; git allows dates that JavaScript cannot represent. */
function toIsoString(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} seconds after the epoch` : date.toISOString();
}
