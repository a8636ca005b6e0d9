import type { Mapping } from '../runtime/untrusted-data.ts';
import type { RedactableField } from './commit/commit-redaction.ts';
import type { Job } from './job.ts';

/** The key of `user_data` that the job's own account of itself stands under. */
export const provenanceKey = 'github';

/**
 * Which run of which workflow made an attestation, in the names and the texts of GitHub's `github` context (GitHub's
 * documentation, "Contexts reference"). In a called workflow these are the caller's, except for the job. What GitHub left
 * unset is left out; undefined outside a GitHub job.
 *
 * @param redact what is kept back of the commit: `author` keeps back who started the run as well, mostly the same person
 */
export function runProvenance(job: Job, redact: readonly RedactableField[] = []): Mapping | undefined {
  if (job.runId === undefined) return undefined;
  const people = redact.includes('author') ? {} : { actor: job.actor, triggering_actor: job.triggeringActor };
  const fields = {
    repository: job.repository === undefined ? undefined : `${job.repository.owner}/${job.repository.name}`,
    workflow: job.workflow,
    job: job.job,
    event_name: job.eventName,
    run_id: job.runId,
    run_attempt: job.runAttempt,
    ...people,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The user's own data, with the run's provenance beside them; a value of the user's own under that key stays as it is. */
export function withProvenance(own: Mapping, provenance: Mapping | undefined): Mapping {
  return provenance === undefined ? own : { [provenanceKey]: provenance, ...own };
}
