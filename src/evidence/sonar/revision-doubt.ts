import { UserError, type FailureText } from '../../runtime/failure.ts';
import type { FinishedTask } from './background-task.ts';
import { sonarTime } from './sonar-time.ts';

/** What the input `unverified-revision` says: what becomes of an analysis if nothing confirms which commit it is of. */
export type UnverifiedRevision = 'warn' | 'fail';

/** The commit being attested, as far as it can be compared with an unconfirmed analysis. */
export interface ExpectedCommit {
  readonly sha: string;
  /** The committer date, in Unix seconds; undefined if no source gave it. */
  readonly committedAt: number | undefined;
}

/** How much earlier than the commit a report may seem to be submitted, in seconds: clocks of different machines differ. */
const clockTolerance = 600;

/**
 * Decides about an analysis that nothing confirms to be of the expected commit: refuses it if it is older than the commit,
 * or if unconfirmed ones are not wanted.
 *
 * @returns the reason why the revision is not verified, for the record
 * @throws UserError
 */
export function acceptUnverified(
  doubt: FailureText,
  task: Pick<FinishedTask, 'projectKey' | 'submittedAt'>,
  expected: ExpectedCommit,
  wanted: UnverifiedRevision,
  reportPath: string,
): string {
  const unchecked = refuseOlderThanCommit(task, expected, reportPath);
  const reason = unchecked === undefined ? doubt.what : `${doubt.what} ${unchecked}`;
  if (wanted === 'warn') return reason;
  throw new UserError({
    input: 'unverified-revision',
    what: `revision not verified: nothing confirms that the Sonar analysis of project ${task.projectKey} (${reportPath}) is of commit ${expected.sha}, and \`unverified-revision\` is \`fail\`. ${reason}`,
    remedy: doubt.remedy,
  });
}

/**
 * A commit does not exist before its committer date, so a report that was submitted earlier is not about it.
 *
 * @returns why that cannot be told, as a sentence; undefined if it can
 * @throws UserError if the report was submitted too early
 */
function refuseOlderThanCommit(
  { projectKey, submittedAt }: Pick<FinishedTask, 'projectKey' | 'submittedAt'>,
  { sha, committedAt }: ExpectedCommit,
  reportPath: string,
): string | undefined {
  const submitted = sonarTime(submittedAt);
  if (committedAt === undefined || submitted === undefined) {
    const missing = committedAt === undefined ? "the commit's committer date" : "the time of the report's submission";
    return `Whether the analysis is older than the commit could not be checked, because ${missing} is not known.`;
  }
  if (submitted >= (committedAt - clockTolerance) * 1000) return undefined;
  throw new UserError({
    input: 'sonar-report-path',
    what: `the Sonar analysis of project ${projectKey} (${reportPath}) was submitted at ${new Date(submitted).toISOString()}, more than ${clockTolerance / 60} minutes before the commit being attested, ${sha}, was made (${iso(committedAt)}), so it is of another commit`,
    remedy:
      'Scan the commit and attest the report of that scan, in the same job; on a self-hosted runner, clean the workspace first, because it may hold the report of an earlier run.',
  });
}

/** Git takes dates that JavaScript does not have. */
function iso(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} seconds after the epoch` : date.toISOString();
}
