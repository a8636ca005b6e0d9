import { omitUndefined } from '../runtime/omit-undefined.ts';
import type { Mapping } from '../runtime/untrusted-data.ts';
import type { RedactableField } from './commit/commit-redaction.ts';
import type { Job } from './job.ts';

/** The key of `user_data` that contains the provenance of the job. */
export const provenanceKey = 'github';

/**
 * The workflow and run that make an attestation, with the names and values of GitHub's `github` context (GitHub's
 * documentation, "Contexts reference"). In a called workflow these are the caller's, except for the job. Unset values
 * are left out; undefined outside a GitHub job.
 *
 * @param redact the withheld fields of the commit: `author` also withholds who started the run, usually the same person
 */
export function runProvenance(job: Job, redact: readonly RedactableField[] = []): Mapping | undefined {
  if (job.runId === undefined) return undefined;
  const people = redact.includes('author') ? {} : { actor: job.actor, triggering_actor: job.triggeringActor };
  return omitUndefined({
    repository: job.repository === undefined ? undefined : `${job.repository.owner}/${job.repository.name}`,
    workflow: job.workflow,
    job: job.job,
    event_name: job.eventName,
    run_id: job.runId,
    run_attempt: job.runAttempt,
    ...people,
  });
}

/** Adds the run's provenance to the user's own data. If the user's data has that key already, its value is kept. */
export function withProvenance(own: Mapping, provenance: Mapping | undefined): Mapping {
  return provenance === undefined ? own : { [provenanceKey]: provenance, ...own };
}
