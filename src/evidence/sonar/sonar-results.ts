import type { SonarResults } from '../../contract/attestation.ts';
import { isMapping, type Mapping } from '../../runtime/untrusted-data.ts';
import type { FinishedTask } from './background-task.ts';
import type { QualityGate } from './quality-gate.ts';
import type { ReportTask } from './report-task.ts';
import { buildUrl, pageUrl, serverName } from './server/server-address.ts';

/** What was learned about an analysis, ready to be put together. */
export interface AnalysisData {
  readonly report: Pick<ReportTask, 'serverUrl' | 'dashboardUrl'>;
  /** The server that was asked. */
  readonly server: URL;
  readonly task: FinishedTask;
  readonly analysedAt: string | undefined;
  /** As Sonar says it; undefined if it does not. */
  readonly revision: string | undefined;
  readonly gate: QualityGate;
}

/**
 * Puts an analysis into the form of an attestation: a subset of Sonar's webhook payload. The report is a file of the
 * workspace, so its links count only if they lead to the server that was asked.
 */
export function toSonarResults({ report, server, task, analysedAt, revision, gate }: AnalysisData): SonarResults {
  const serverUrl = toServerLink(server, report.serverUrl);
  return {
    serverUrl: serverUrl?.replace(/\/+$/u, '') ?? serverName(server),
    taskId: task.id,
    status: task.status,
    ...(analysedAt === undefined ? {} : { analysedAt }),
    ...(revision === undefined ? {} : { revision }),
    project: {
      key: task.projectKey,
      name: task.projectName,
      url: toServerLink(server, report.dashboardUrl) ?? toDashboardUrl(server, task),
    },
    ...(task.branch === undefined ? {} : { branch: toBranch(task.branch, task.branchType) }),
    ...(task.pullRequest === undefined ? {} : { pullRequest: task.pullRequest }),
    qualityGate: gate,
  };
}

function toBranch(name: string, type: string | undefined): NonNullable<SonarResults['branch']> {
  return type === undefined ? { name } : { name, type };
}

function toDashboardUrl(server: URL, { projectKey: id, branch, pullRequest }: FinishedTask): string {
  return buildUrl(server, 'dashboard', { id, branch, pullRequest }).href;
}

/** The link as it may be shown, if it leads to this server's origin; undefined for any other. */
export function toServerLink(server: URL, text: string | undefined): string | undefined {
  const link = pageUrl(text);
  return link !== undefined && new URL(link).origin === server.origin ? link : undefined;
}

/**
 * A JSON report without the links that lead elsewhere than to the server: the report is a file of the workspace, which a
 * change under review can forge. The links of Sonar's webhook are `serverUrl`, `project.url` and `branch.url`.
 */
export function withoutForeignLinks(report: unknown, server: URL): unknown {
  if (!isMapping(report)) return report;
  const own = keepOwnLinks(report, server);
  for (const part of ['project', 'branch']) {
    const inner = own[part];
    if (isMapping(inner)) own[part] = keepOwnLinks(inner, server);
  }
  return own;
}

function keepOwnLinks(record: Mapping, server: URL): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([key, value]) => !/url$/iu.test(key) || (typeof value === 'string' && toServerLink(server, value) !== undefined),
    ),
  );
}
