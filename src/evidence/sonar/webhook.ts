import { type SonarResults, sonarResults } from '../../contract/attestations/sonar.ts';
import { conforms, violations } from '../../contract/check.ts';
import { ExternalError, UserError } from '../../runtime/failure.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { SonarProject } from './find-analysis.ts';
import { isTaskId, type ReportTask } from './report-task.ts';

/**
 * Parses a JSON report: the body of Sonar's webhook, or `sonar_results` as in the interface. Unknown keys are kept,
 * because Sonar extends its payload.
 *
 * @param path the file, for error messages
 * @throws ExternalError if it is the webhook of a failed task; UserError that names every field that does not conform
 */
export function parseWebhook(document: unknown, path: string): SonarResults {
  const status = textAt(document, 'status');
  if (isFailure(status, document)) {
    const task = ['task', textAt(document, 'taskId')].filter((word) => word !== undefined).join(' ');
    const project = textAt(document, 'project', 'key');
    throw new ExternalError({
      what: `Sonar's background ${task}${project === undefined ? '' : ` of project ${project}`} ended with the status ${status ?? ''}: the report ${path} does not describe a complete analysis`,
      remedy: "See the project's background tasks in Sonar for the reason, and run the scan again.",
    });
  }
  if (conforms(sonarResults, document)) return document;
  const fields = violations(sonarResults, document).map(({ field, rule }) =>
    field === '' ? `it ${rule}` : `${field} ${rule}`,
  );
  throw new UserError({
    input: 'sonar-report-path',
    what: `the JSON report ${path} does not have the form of a Sonar webhook: ${fields.join('; ')}`,
    remedy: 'Write the body of the Sonar webhook to the file unchanged, or use the report-task.txt of the scan.',
  });
}

/** A failed task has no gate. A report with a gate and the status of a failed task must not be trusted. */
function isFailure(status: string | undefined, document: unknown): boolean {
  if (status === 'FAILED' || status === 'CANCELED') return true;
  return status !== undefined && status !== 'SUCCESS' && valueAt(document, 'qualityGate') === undefined;
}

/**
 * The analysis that a server can be asked for: by its background task, or else in the list of its project. Nothing else
 * of the report counts then.
 */
export function namedAnalysis({ taskId = '', project, branch, pullRequest }: SonarResults): ReportTask | SonarProject {
  const { key } = project;
  if (isTaskId(taskId)) return { ceTaskId: taskId, projectKey: key, dashboardUrl: project.url };
  // The webhook describes a pull request as a branch of this type.
  const ofPullRequest = pullRequest ?? (branch?.type === 'PULL_REQUEST' ? branch.name : undefined);
  if (ofPullRequest !== undefined) return { key, pullRequest: ofPullRequest };
  return valueAt(branch, 'isMain') === true ? { key } : { key, branch: branch?.name };
}
