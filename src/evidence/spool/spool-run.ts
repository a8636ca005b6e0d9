import { conforms } from '../../contract/check.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { Job } from '../job.ts';
import { spoolRun, type SpoolRun } from './spool-item.ts';

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
 * The commit that GitHub lists as the run's `head_sha`: `GITHUB_SHA`, except for the events of a pull request, on which
 * that is a merge commit or the target branch.
 */
function runHead(job: Job): string | undefined {
  return fullSha(textAt(job.event, 'pull_request', 'head', 'sha')) ?? fullSha(job.sha);
}
