import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { Job } from '../job.ts';

/**
 * Why GitHub restricts a run: it gets no secrets of the repository, and a read-only token. Runs of Dependabot get the
 * secrets of a separate store, and their token may write if `permissions:` allows it.
 */
export type RunRestriction = 'fork' | 'dependabot';

/**
 * The events on which runs started by Dependabot are restricted (GitHub's documentation, "Dependabot on GitHub
 * Actions"). On other events, such as `workflow_run`, they are not.
 */
const dependabotEvents: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'create',
  'deployment',
  'deployment_status',
]);

/** The events that run a pull request's own code; `pull_request_target` and `workflow_run` run the code of the base. */
const pullRequestCodeEvents: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
]);

/**
 * Why the run is restricted; undefined if it is not (GitHub's documentation, "Events that trigger workflows", on forks,
 * and "Troubleshooting Dependabot on GitHub Actions"). The original actor counts, not the user who re-runs a job.
 */
export function findRunRestriction(job: Job): RunRestriction | undefined {
  const eventName = job.eventName ?? '';
  if (isStartedByDependabot(job.actor, eventName)) return 'dependabot';
  if (!pullRequestCodeEvents.has(eventName)) return undefined;
  const base = textAt(job.event, 'pull_request', 'base', 'repo', 'full_name');
  const head = valueAt(job.event, 'pull_request', 'head', 'repo');
  if (base === undefined || head === undefined) return undefined;
  // The repository of a fork that was deleted is null.
  return textAt(head, 'full_name') === base ? undefined : 'fork';
}

/** Whether a run is restricted because Dependabot started it: it runs unreviewed code of dependencies. */
export function isStartedByDependabot(actor: string | undefined, eventName: string): boolean {
  return actor === 'dependabot[bot]' && dependabotEvents.has(eventName);
}
