import { ignoredConditionsNote, type SonarResults } from '../../contract/attestations/sonar.ts';
import type { CallContext } from '../../http/send-with-retry.ts';
import { UserError } from '../../runtime/failure.ts';
import { readAnalysis } from './analysis.ts';
import { forInput } from '../files/file-problems.ts';
import { findAnalysis, type SonarProject } from './find-analysis.ts';
import { parseTaskUrl } from './task-url.ts';
import { schemesFor, usableToken } from './server/sonar-token.ts';
import { waitForTask, type FinishedTask } from './background-task.ts';
import { readJsonReport } from './json-report.ts';
import { startPolling, type Polling } from './server/sonar-polling.ts';
import { readQualityGate } from './quality-gate.ts';
import { locateReport } from './locate-report.ts';
import type { ReportTask } from './report-task.ts';
import { readReport, type SonarReport } from './read-report.ts';
import { toSonarResults } from './sonar-results.ts';
import {
  acceptUnverified,
  type ExpectedCommit,
  refuseOtherCommit,
  type ScanEvent,
  type UnverifiedRevision,
} from './revision.ts';
import { chooseServer, namedServer, pageUrl } from './server/server-address.ts';
import { openSonarServer, type SonarServer } from './server/sonar-server.ts';

/** The Sonar results to gather. */
export interface SonarRequest {
  /** The input `sonar-report-path`: a scanner's report, its folder, or a JSON file with results. */
  readonly reportPath?: string | undefined;
  /** The input `sonar-task-url`: the URL of the background task. */
  readonly taskUrl?: string | undefined;
  /** The project in which the analysis of the commit is looked up; needs `hostUrl`. */
  readonly project?: SonarProject | undefined;
  /** The input `sonar-host-url`. If it is set, other servers that the report names are neither used nor linked. */
  readonly hostUrl?: string | undefined;
  /** The input `sonar-token`; not needed for public projects. */
  readonly token?: string | undefined;
  /** The input `sonar-timeout`: how long to wait for the background task and for Sonar's answers, in milliseconds. */
  readonly timeoutMilliseconds: number;
  /** The folder that relative paths start from. */
  readonly workspace: string;
  /** The commit being attested. An analysis of another commit is rejected. */
  readonly expected: ExpectedCommit;
  /** What the job says about that commit. */
  readonly event: ScanEvent;
  /** The input `unverified-revision`: what to do with an analysis if nothing confirms its commit. */
  readonly unverifiedRevision: UnverifiedRevision;
}

/** The results of a Sonar analysis, and how far they can be trusted. */
export interface SonarEvidence {
  /** The `revision` comes from Sonar or the report, and is absent if neither has it. */
  readonly results: SonarResults;
  /** Why nothing confirms that the expected commit was analysed, in sentences; undefined if it is confirmed. */
  readonly unverifiedReason: string | undefined;
  /** The project's page in Sonar, if it is an http or https address. */
  readonly dashboardUrl: string | undefined;
}

type GatheredResults = Pick<SonarEvidence, 'results' | 'unverifiedReason'>;

/** The data that the functions of this file share for one report. */
interface GatherContext {
  readonly request: SonarRequest;
  readonly reportPath: string;
  readonly context: CallContext;
}

/**
 * Gathers the results of a Sonar scan: from Sonar's web API with the help of the scan's report, its task's URL or the
 * project's key, or from a JSON file.
 *
 * @throws UserError for a report that is missing, ambiguous, malformed, for another commit or project, or not listed by
 * Sonar, and for a token or address that the server does not accept; ExternalError if the analysis failed or Sonar did
 * not respond; the signal's reason if it is aborted
 */
export async function gatherSonar(request: SonarRequest, context: CallContext): Promise<SonarEvidence> {
  const gathered = await gatherFromSource(request, context);
  const { results } = gathered;
  if (results.qualityGate.ignoredConditions === true) context.log.info(ignoredConditionsNote);
  return {
    ...gathered,
    dashboardUrl: pageUrl(results.project.url),
  };
}

async function gatherFromSource(request: SonarRequest, context: CallContext): Promise<GatheredResults> {
  const { project, taskUrl } = request;
  if (project !== undefined) return gatherFromProject(project, request, context);
  if (taskUrl !== undefined) {
    const { taskId, hostUrl } = parseTaskUrl(taskUrl);
    const named = { ...request, hostUrl: request.hostUrl ?? hostUrl };
    return forInput(
      'sonar-task-url',
      () => gatherFromServer({ ...noReport, ceTaskId: taskId }, { request: named, reportPath: taskUrl, context }),
      'sonar-report-path',
    );
  }
  const reportPath = await locateReport(request.reportPath, request.workspace);
  context.log.info(`Sonar report: ${reportPath}`);
  return gatherResults(await readReport(reportPath), { request, reportPath, context });
}

/** What a report says besides its task, if there is none. */
const noReport = {
  projectKey: undefined,
  organization: undefined,
  serverUrl: undefined,
  serverVersion: undefined,
  dashboardUrl: undefined,
} as const;

/** The results of the newest analysis of the commit: Sonar names its revision, so it is confirmed. */
async function gatherFromProject(
  project: SonarProject,
  request: SonarRequest,
  context: CallContext,
): Promise<GatheredResults> {
  const polling = startPolling(context, request.timeoutMilliseconds);
  const server = connect(noReport, { request, reportPath: `project ${project.key}`, context }, polling);
  const found = await findAnalysis(server, project, request.expected.sha);
  const { key, branch, pullRequest } = project;
  const task = {
    id: undefined,
    status: undefined,
    projectKey: key,
    projectName: key,
    branch,
    branchType: undefined,
    pullRequest,
  };
  const results = toSonarResults({ report: noReport, server: server.address.url, task, ...found });
  return { results, unverifiedReason: undefined };
}

async function gatherResults(report: SonarReport, gatherContext: GatherContext): Promise<GatheredResults> {
  if (report.kind === 'task') return gatherFromServer(report.task, gatherContext);
  const { request, reportPath, context } = gatherContext;
  const server = request.hostUrl === undefined ? undefined : namedServer(request.hostUrl);
  const json = readJsonReport(report.document, reportPath, server);
  if (json.kind === 'task') {
    context.log.info(
      'The JSON report does not name the analysed commit, so the Sonar server is asked for the analysis.',
    );
    return gatherFromServer(json.task, gatherContext);
  }
  const { event, expected } = request;
  refuseOtherCommit(json.revision, expected.sha, { projectKey: json.results.project.key, reportPath, event });
  return { results: json.results, unverifiedReason: undefined };
}

async function gatherFromServer(report: ReportTask, gatherContext: GatherContext): Promise<GatheredResults> {
  const { request, reportPath, context } = gatherContext;
  const polling = startPolling(context, request.timeoutMilliseconds);
  const server = connect(report, gatherContext, polling);
  const task = await waitForTask(server, report.ceTaskId, reportPath, polling);
  for (const note of task.warnings) context.log.info(`Sonar says: ${note}`);
  refuseOtherProject(report, task, reportPath);
  const { analysedAt, revision, doubt } = await readAnalysis(server, task, reportPath);
  let unverifiedReason: string | undefined;
  if (revision === undefined) {
    const { expected, unverifiedRevision } = request;
    unverifiedReason = acceptUnverified(doubt, task, expected, unverifiedRevision, reportPath);
    context.log.warning(
      `revision not verified: nothing confirms that the Sonar analysis is for commit ${expected.sha}. ${unverifiedReason} ${doubt.remedy}`,
    );
  } else {
    refuseOtherCommit(revision, request.expected.sha, {
      projectKey: task.projectKey,
      reportPath,
      event: request.event,
    });
  }
  const gate = await readQualityGate(server, task);
  const results = toSonarResults({ report, server: server.address.url, task, analysedAt, revision, gate });
  return { results, unverifiedReason };
}

function connect(
  report: Omit<ReportTask, 'ceTaskId'>,
  { request, reportPath, context }: GatherContext,
  polling: Polling,
): SonarServer {
  const token = usableToken(request.token);
  const address = chooseServer(request.hostUrl, report, reportPath, token !== undefined);
  for (const warning of address.warnings) context.log.warning(warning);
  context.log.info(`Sonar server: ${address.url.href}${address.namedBy === 'report' ? ' (named by the report)' : ''}`);
  return openSonarServer(address, { token, schemes: schemesFor(address.url, report) }, context, polling);
}

/** @throws UserError if the report names another project than its task, because the report was edited */
function refuseOtherProject({ projectKey }: ReportTask, task: FinishedTask, reportPath: string): void {
  if (projectKey === undefined || projectKey === task.projectKey) return;
  throw new UserError({
    input: 'sonar-report-path',
    what: `the Sonar report ${reportPath} is for project ${projectKey}, but its background task ${task.id} is for project ${task.projectKey}`,
    remedy: 'Attest the report as the scanner wrote it: run the scan again, and attest in the same job.',
  });
}
