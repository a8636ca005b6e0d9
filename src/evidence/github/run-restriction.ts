import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { Job } from '../job.ts';

/**
 * Why GitHub trusts a run less: it gets no secrets of the repository, and a token that may only read. Dependabot's runs get
 * the secrets of a store of their own, and their token may write where `permissions:` says so.
 */
export type RunRestriction = 'fork' | 'dependabot';

/**
 * The events on which a run that Dependabot started is restricted (GitHub's documentation, "Dependabot on GitHub Actions"). On
 * others, such as `workflow_run`, it has what every run has.
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

/** The events on which a pull request's own code runs; `pull_request_target` and `workflow_run` run what was merged. */
const pullRequestCodeEvents: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
]);

/**
 * Whether the run is restricted (GitHub's documentation, "Events that trigger workflows", on forks, and "Troubleshooting
 * Dependabot on GitHub Actions"). The first actor counts, not who runs a job again.
 */
export function findRunRestriction(job: Job): RunRestriction | undefined {
  const eventName = job.eventName ?? '';
  if (job.actor === 'dependabot[bot]' && dependabotEvents.has(eventName)) return 'dependabot';
  if (!pullRequestCodeEvents.has(eventName)) return undefined;
  const base = textAt(job.event, 'pull_request', 'base', 'repo', 'full_name');
  const head = valueAt(job.event, 'pull_request', 'head', 'repo');
  if (base === undefined || head === undefined) return undefined;
  // The repository of a fork that was deleted is null.
  return textAt(head, 'full_name') === base ? undefined : 'fork';
}
