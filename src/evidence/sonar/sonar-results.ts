import type { SonarResults } from '../../contract/attestations/sonar.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import type { FinishedTask } from './background-task.ts';
import type { QualityGate } from './quality-gate.ts';
import type { ReportTask } from './report-task.ts';
import { buildUrl, pageUrl, serverName } from './server/server-address.ts';

export interface AnalysedProject extends Pick<FinishedTask, 'projectKey' | 'branch' | 'branchType' | 'pullRequest'> {
  readonly id: string | undefined;
  readonly status: string | undefined;
  readonly projectName: string | undefined;
}

export interface AnalysisData {
  readonly report: Pick<ReportTask, 'serverUrl' | 'dashboardUrl'>;
  /** The server that returned the data. */
  readonly server: URL;
  /** What is not known of it is undefined, if the analysis was found without its background task. */
  readonly task: AnalysedProject;
  readonly analysedAt: string | undefined;
  /** As Sonar reports it; undefined if it does not. */
  readonly revision: string | undefined;
  readonly gate: QualityGate;
}

/**
 * Converts an analysis to the form of an attestation: a subset of Sonar's webhook payload. The report is a file in the
 * workspace, so its links are used only if they lead to the server.
 */
export function toSonarResults({ report, server, task, analysedAt, revision, gate }: AnalysisData): SonarResults {
  const serverUrl = toServerLink(server, report.serverUrl);
  return omitUndefined({
    serverUrl: serverUrl?.replace(/(?<!\/)\/+$/u, '') ?? serverName(server),
    taskId: task.id,
    status: task.status,
    analysedAt,
    revision,
    project: {
      key: task.projectKey,
      ...(task.projectName === undefined ? {} : { name: task.projectName }),
      url: toServerLink(server, report.dashboardUrl) ?? toDashboardUrl(server, task),
    },
    ...(task.branch === undefined ? {} : { branch: toBranch(task.branch, task.branchType) }),
    pullRequest: task.pullRequest,
    qualityGate: gate,
  });
}

function toBranch(name: string, type: string | undefined): NonNullable<SonarResults['branch']> {
  return type === undefined ? { name } : { name, type };
}

function toDashboardUrl(server: URL, { projectKey: id, branch, pullRequest }: AnalysedProject): string {
  return buildUrl(server, 'dashboard', { id, branch, pullRequest }).href;
}

/** The link without credentials if it leads to this server's origin; undefined otherwise. */
function toServerLink(server: URL, text: string | undefined): string | undefined {
  const link = pageUrl(text);
  return link !== undefined && new URL(link).origin === server.origin ? link : undefined;
}
