import type { SonarResults } from '../../contract/attestation.ts';
import type { FinishedTask } from './background-task.ts';
import type { QualityGate } from './quality-gate.ts';
import type { ReportTask } from './report-task.ts';
import { below, pageUrl } from './server-address.ts';

/** What was learned about an analysis, ready to be put together. */
export interface Learned {
  readonly report: ReportTask;
  /** The server that was asked. */
  readonly server: URL;
  readonly task: FinishedTask;
  readonly analysedAt: string | undefined;
  readonly revision: string;
  readonly gate: QualityGate;
  readonly gateName: string | undefined;
}

/** Puts an analysis into the form of an attestation: a subset of Sonar's webhook payload. */
export function sonarResultsOf(learned: Learned): SonarResults {
  const { task, gate, gateName, analysedAt } = learned;
  return {
    // The server's name for itself, which people can open where the runner's way to it may be an internal one.
    serverUrl: pageUrl(learned.report.serverUrl)?.replace(/\/$/u, '') ?? learned.server.href.replace(/\/$/u, ''),
    taskId: task.id,
    status: task.status,
    ...(analysedAt === undefined ? {} : { analysedAt }),
    revision: learned.revision,
    project: { key: task.projectKey, name: task.projectName, url: dashboardOf(learned) },
    ...(task.branch === undefined ? {} : { branch: branchOf(task.branch, task.branchType) }),
    ...(task.pullRequest === undefined ? {} : { pullRequest: task.pullRequest }),
    qualityGate: { ...(gateName === undefined ? {} : { name: gateName }), ...gate },
  };
}

function branchOf(name: string, type: string | undefined): NonNullable<SonarResults['branch']> {
  return type === undefined ? { name } : { name, type };
}

function dashboardOf({ report, server, task }: Learned): string {
  const { projectKey: id, branch, pullRequest } = task;
  return pageUrl(report.dashboardUrl) ?? below(server, 'dashboard', { id, branch, pullRequest }).href;
}
