import { conforms } from '../../contract/check.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { Job } from '../job.ts';
import { type SpoolRun, spoolRun } from './spool-item.ts';

/** The facts of the job's run by which a replay checks an item; undefined outside a GitHub run. */
export function toSpoolRun(job: Job): SpoolRun | undefined {
  const run = {
    repository: job.repository === undefined ? undefined : `${job.repository.owner}/${job.repository.name}`,
    run_id: job.runId,
    run_attempt: job.runAttempt,
    event_name: job.eventName,
    head_sha: runHead(job),
  };
  return conforms(spoolRun, run) ? run : undefined;
}

/**
 * The commit that GitHub lists as the run's `head_sha`: `GITHUB_SHA`, except for the events of a pull request on which
 * `GITHUB_SHA` is a merge commit; then it is the head of the pull request. A run on `pull_request_target` belongs to the
 * base: its `GITHUB_SHA` is the last commit of the default branch (GitHub's documentation, "Events that trigger
 * workflows"), and so is its `head_sha`: "the base default branch SHA (not the PR head)"
 * (`src/unsafe-pr-checkout-helper.ts` in actions/checkout, which GitHub maintains).
 */
function runHead({ eventName, event, sha }: Job): string | undefined {
  const isForBase = eventName === 'pull_request_target';
  const pullRequestHead = isForBase ? undefined : textAt(event, 'pull_request', 'head', 'sha');
  return fullSha(pullRequestHead) ?? fullSha(sha);
}
