import { type Job, readJob } from '../../src/evidence/job.ts';
import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import type { Mapping } from '../../src/runtime/untrusted-data.ts';

/** The variables of a job of acme/widgets on github.com. */
export const jobEnvironment: EnvironmentVariables = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_API_URL: 'https://api.github.com',
  GITHUB_REPOSITORY: 'acme/widgets',
  GITHUB_REPOSITORY_ID: '99001',
  GITHUB_RUN_ID: '4242',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_WORKFLOW: 'CI',
  GITHUB_JOB: 'build',
  GITHUB_ACTOR: 'ann',
  GITHUB_TRIGGERING_ACTOR: 'bob',
};

/** A job of acme/widgets that this event started; `variables` are the `GITHUB_*` that the event sets. */
export function jobOf(eventName: string, event: Mapping, variables: EnvironmentVariables = {}): Job {
  const job = readJob({ ...jobEnvironment, GITHUB_EVENT_NAME: eventName, ...variables });
  return { ...job, event };
}
