import type { WriteIdentity } from '../../client/idempotency-key.ts';
import type { Job } from '../../evidence/job.ts';
import { matrix } from '../../operations/inputs/step-inputs.ts';
import { parseMatrix } from './matrix-values.ts';
import { type InputSource, inputText } from './read-inputs.ts';

/** What identifies the requests of this step. */
export function readWriteIdentity(job: Job, source: InputSource): WriteIdentity {
  return {
    repository: job.repository === undefined ? undefined : `${job.repository.owner}/${job.repository.name}`,
    runId: job.runId,
    job: job.job,
    matrix: parseMatrix(inputText(source, matrix)),
    step: source.environment['GITHUB_ACTION'],
  };
}
