import { ignoredConditionsNote, noConditionsNote, type SonarResults } from '../../contract/attestations/sonar.ts';
import type { CallContext } from '../../http/send-with-retry.ts';
import { type FailureText, UserError } from '../../runtime/failure.ts';
import { forInput } from '../files/file-problems.ts';
import { type Analysis, readAnalysis } from './analysis.ts';
import { type FinishedTask, waitForTask } from './background-task.ts';
import { findAnalysis, type SonarProject } from './find-analysis.ts';
import { locateReport } from './locate-report.ts';
import { readQualityGate } from './quality-gate.ts';
import { readReport } from './read-report.ts';
import { parseTaskUrl, type ReportTask } from './report-task.ts';
import {
  acceptUnverified,
  type ExpectedCommit,
  refuseOlderThanCommit,
  refuseOtherCommit,
  type ScanEvent,
  type UnverifiedRevision,
} from './revision.ts';
import { chooseServer, pageUrl } from './server/server-address.ts';
import { type Polling, startPolling } from './server/sonar-polling.ts';
import { openSonarServer, type SonarServer } from './server/sonar-server.ts';
import { schemesFor } from './server/sonar-token.ts';
import { describeList } from './sonar-lists.ts';
import { toSonarResults } from './sonar-results.ts';
import { namedAnalysis, parseWebhook } from './webhook.ts';

export interface SonarRequest {
  /** The input `sonar-report-path`: a scanner's report, its folder, or a JSON report. */
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

/** How the server confirmed that the expected commit was analysed, or why nothing confirms it, in sentences. */
export type Confirmation =
  | { readonly confirmedBy: string; readonly unverifiedReason?: never }
  | { readonly confirmedBy?: never; readonly unverifiedReason: string };

export type SonarEvidence = GatheredResults & {
  /** The project's page in Sonar, if it is an http or https address. */
  readonly dashboardUrl: string | undefined;
};

/** The `revision` of the results comes from Sonar or a JSON report, and is absent if neither has it. */
type GatheredResults = Confirmation & { readonly results: SonarResults };

/** The data that the functions of this file share for one report. */
interface GatherContext {
  readonly request: SonarRequest;
  readonly reportPath: string;
  readonly context: CallContext;
}

/**
 * Gathers the results of a Sonar scan: from Sonar's web API with the help of the scan's report, its task's URL or the
 * project's key. A JSON report without a server is evidence that nothing confirms.
 *
 * @throws UserError for a report that is missing, ambiguous, malformed, for another commit or project, or not listed by
 * Sonar, and for a token or address that the server does not accept; ExternalError if the analysis failed or Sonar did
 * not respond; the signal's reason if it is aborted
 */
export async function gatherSonar(request: SonarRequest, context: CallContext): Promise<SonarEvidence> {
  const gathered = await gatherFromSource(request, context);
  const { results } = gathered;
  if (results.qualityGate.ignoredConditions === true) context.log.info(ignoredConditionsNote);
  if (results.qualityGate.conditions.length === 0) context.log.info(noConditionsNote);
  return {
    ...gathered,
    dashboardUrl: pageUrl(results.project.url),
  };
}

async function gatherFromSource(request: SonarRequest, context: CallContext): Promise<GatheredResults> {
  const { project, taskUrl } = request;
  if (project !== undefined) {
    return gatherFromProject(project, { request, reportPath: `project ${project.key}`, context });
  }
  if (taskUrl !== undefined) {
    // Most often an output of the scan's job, which runs the change under review: no more trusted than a report.
    const report = parseTaskUrl(taskUrl);
    return forInput(
      'sonar-task-url',
      () => gatherFromServer(report, { request, reportPath: taskUrl, context }),
      'sonar-report-path',
    );
  }
  const { path: reportPath, isNamed } = locateReport(request.reportPath, request.workspace);
  context.log.info(`Sonar report: ${reportPath}`);
  const report = await readReport(reportPath);
  if (report.kind === 'task') return gatherFromServer(report.task, { request, reportPath, context });
  if (!isNamed) {
    throw new UserError({
      input: 'sonar-report-path',
      what: `${reportPath} contains JSON, and not the report of a scanner; a JSON report is read only if \`sonar-report-path\` names the file`,
      remedy: 'Find out which step wrote the file; if it is the report to attest, set `sonar-report-path` to its path.',
    });
  }
  return gatherFromJson(report.document, { request, reportPath, context });
}

/** The results of the newest analysis of the commit: Sonar names its revision, so it is confirmed. */
async function gatherFromProject(project: SonarProject, gatherContext: GatherContext): Promise<GatheredResults> {
  const { request, context } = gatherContext;
  const polling = startPolling(context, request.timeoutMilliseconds);
  const server = connect({}, gatherContext, polling);
  const found = await findAnalysis(server, project, request.expected.sha);
  const results = toSonarResults({ report: {}, server: server.address.url, ...found });
  return { results, confirmedBy: describeList(project.pullRequest) };
}

/** Any step of the job can write a JSON file: its results count only without a server, and never as confirmed. */
async function gatherFromJson(document: unknown, gatherContext: GatherContext): Promise<GatheredResults> {
  const { request, reportPath, context } = gatherContext;
  const results = parseWebhook(document, reportPath);
  if (request.hostUrl === undefined) {
    if (request.token !== undefined) throw createNoServerError(reportPath);
    return acceptFile(results, gatherContext);
  }
  context.log.info('Only the analysis that the JSON report names counts: the Sonar server is asked for its results.');
  const named = namedAnalysis(results);
  if ('ceTaskId' in named) return gatherFromServer(named, gatherContext);
  return forInput('sonar-report-path', () => gatherFromProject(named, gatherContext), 'sonar-project-key');
}

/** Why a file proves nothing. */
const fileDoubt: FailureText = {
  what: 'The results are from a JSON file, which any step of the job could have written, and no Sonar server was asked.',
  remedy: 'Set `sonar-host-url` and `sonar-token`, so that Sonar confirms the analysis.',
};

function acceptFile(results: SonarResults, { request, reportPath, context }: GatherContext): GatheredResults {
  const { expected, event, unverifiedRevision } = request;
  const { key: projectKey } = results.project;
  const revision = results.revision?.trim() ?? '';
  if (revision !== '') refuseOtherCommit(revision, expected.sha, { projectKey, reportPath, event });
  const unverified = { projectKey, reportPath, doubt: fileDoubt };
  context.log.warning(acceptUnverified(unverified, expected, unverifiedRevision));
  return { results, unverifiedReason: fileDoubt.what };
}

/** A file may name any server, so the token is not sent there, and its answers would confirm nothing. */
function createNoServerError(reportPath: string): UserError {
  return new UserError({
    input: 'sonar-host-url',
    what: `\`sonar-token\` is given without \`sonar-host-url\`, and ${reportPath} is a JSON report, which any step of the job could have written, so the server that it names is not asked`,
    remedy: 'Set `sonar-host-url` to the address of the Sonar server.',
  });
}

async function gatherFromServer(report: ReportTask, gatherContext: GatherContext): Promise<GatheredResults> {
  const { request, reportPath, context } = gatherContext;
  const polling = startPolling(context, request.timeoutMilliseconds);
  const server = connect(report, gatherContext, polling);
  const task = await waitForTask(server, report.ceTaskId, reportPath, polling);
  for (const note of task.warnings) context.log.info(`Sonar says: ${note}`);
  refuseOtherProject(report, task, reportPath);
  const analysis = await readAnalysis(server, task, reportPath);
  const confirmation = confirm(analysis, task, server, gatherContext);
  const gate = await readQualityGate(server, { analysisId: task.analysisId });
  const { analysedAt, revision } = analysis;
  const results = toSonarResults({ report, server: server.address.url, task, analysedAt, revision, gate });
  return { results, ...confirmation };
}

/** @throws UserError if the analysis is, or may be, for another commit */
function confirm(
  { revision, confirmedBy, doubt }: Analysis,
  task: FinishedTask,
  { address }: SonarServer,
  { request, reportPath, context }: GatherContext,
): Confirmation {
  const { expected, event, unverifiedRevision } = request;
  const { projectKey } = task;
  if (doubt === undefined) {
    refuseOtherCommit(revision, expected.sha, { projectKey, reportPath, event });
    const onServer = address.namedBy === 'report' ? ', on the server that the scan names' : '';
    return { confirmedBy: `${confirmedBy}${onServer}` };
  }
  const unchecked = refuseOlderThanCommit(task, expected, reportPath);
  const what = unchecked === undefined ? doubt.what : `${doubt.what} ${unchecked}`;
  const unverified = { projectKey, reportPath, doubt: { what, remedy: doubt.remedy } };
  context.log.warning(acceptUnverified(unverified, expected, unverifiedRevision));
  return { unverifiedReason: what };
}

function connect(
  report: Omit<ReportTask, 'ceTaskId'>,
  { request, reportPath, context }: GatherContext,
  polling: Polling,
): SonarServer {
  const { token } = request;
  const address = chooseServer(request.hostUrl, report, reportPath, token !== undefined);
  for (const warning of address.warnings) context.log.warning(warning);
  context.log.info(`Sonar server: ${address.url.href}${address.namedBy === 'report' ? ' (named by the scan)' : ''}`);
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
