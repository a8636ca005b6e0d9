import { sonarResults, type SonarResults } from '../../contract/attestations/sonar.ts';
import { conforms, violations } from '../../contract/check.ts';
import { UserError, ExternalError } from '../../runtime/failure.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { withoutForeignLinks } from './sonar-results.ts';
import { isTaskId, type ReportTask } from './report-task.ts';
import { buildUrl, serverName } from './server/server-address.ts';

/** A JSON report: results for a known commit, or a task on a server that may know the commit. */
export type JsonReport =
  | { readonly kind: 'results'; readonly results: SonarResults; readonly revision: string }
  | { readonly kind: 'task'; readonly task: ReportTask };

/**
 * Reads a JSON report: the body of Sonar's webhook, or `sonar_results` as in the interface. Unknown keys are kept,
 * because Sonar extends its payload.
 *
 * @param path the file, for error messages
 * @param server the server that the user set; if given, only links to it are kept
 * @throws ExternalError if it is the webhook of a failed task; UserError that names every field that does not conform,
 * or if the report names neither a revision nor a task on a server that could be asked
 */
export function readJsonReport(document: unknown, path: string, server: URL | undefined): JsonReport {
  const results = checkJsonReport(server === undefined ? document : withoutForeignLinks(document, server), path);
  const { revision = '' } = results;
  if (revision.trim() !== '') {
    return { kind: 'results', results: server === undefined ? results : withDashboard(results, server), revision };
  }
  const { taskId = '', serverUrl, project } = results;
  if (!isTaskId(taskId) || (server === undefined && serverUrl === undefined)) throw createNoRevisionError(path);
  return {
    kind: 'task',
    task: {
      ceTaskId: taskId,
      projectKey: project.key,
      serverUrl,
      dashboardUrl: project.url,
      organization: undefined,
      serverVersion: undefined,
    },
  };
}

function checkJsonReport(document: unknown, path: string): SonarResults {
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

function withDashboard(results: SonarResults, server: URL): SonarResults {
  const { project, serverUrl = serverName(server) } = results;
  const { url = buildUrl(server, 'dashboard', { id: project.key }).href } = project;
  return { ...results, serverUrl, project: { ...project, url } };
}

function createNoRevisionError(path: string): UserError {
  return new UserError({
    input: 'sonar-report-path',
    what: `the JSON report ${path} names neither the analysed commit (\`revision\`) nor the task and the server to look it up (\`taskId\`, \`serverUrl\`)`,
    remedy:
      'Use the report-task.txt of the scan, or the whole body of the Sonar webhook; set `sonar-host-url` if the report has a `taskId` and no `serverUrl`.',
  });
}
