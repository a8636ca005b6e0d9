import { sonarResults, type SonarResults } from '../../contract/attestation.ts';
import { conforms, violations } from '../../contract/check.ts';
import { MistakeError, TroubleError } from '../../runtime/failure.ts';
import { textAt, valueAt } from '../../runtime/values.ts';

/**
 * Checks a JSON report: the body of Sonar's webhook, or `sonar_results` as the interface has it. Keys that neither knows
 * are kept: the payload is Sonar's.
 *
 * @param path the file, for the words of an error
 * @throws TroubleError where it is the webhook of a task that failed; MistakeError naming every field in another form
 */
export function checkJsonReport(document: unknown, path: string): SonarResults {
  const status = textAt(document, 'status');
  if (isFailure(status, document)) {
    const task = ['task', textAt(document, 'taskId')].filter((word) => word !== undefined).join(' ');
    const project = textAt(document, 'project', 'key');
    throw new TroubleError({
      what: `Sonar's background ${task}${project === undefined ? '' : ` of project ${project}`} ended with the status ${status ?? ''}: the report ${path} is not of a whole analysis`,
      remedy: "See the project's background tasks in Sonar for the reason, and run the scan again.",
    });
  }
  if (conforms(sonarResults, document)) return document;
  const fields = violations(sonarResults, document).map(({ field, rule }) =>
    field === '' ? `it ${rule}` : `${field} ${rule}`,
  );
  throw new MistakeError({
    input: 'sonar-report-path',
    what: `the JSON report ${path} does not have the form of a Sonar webhook: ${fields.join('; ')}`,
    remedy: 'Write the body of the Sonar webhook to the file as it is, or give the report-task.txt of the scan.',
  });
}

/** A task that failed has no gate, and one that says so beside a gate is not to be trusted. */
function isFailure(status: string | undefined, document: unknown): boolean {
  if (status === 'FAILED' || status === 'CANCELED') return true;
  return status !== undefined && status !== 'SUCCESS' && valueAt(document, 'qualityGate') === undefined;
}
