import type { SonarResults } from '../../contract/attestation.ts';
import type { CallContext } from '../../http/persistent.ts';
import { readAnalysis } from './analysis.ts';
import { schemesFor, usableToken } from './authorization.ts';
import { waitForTask } from './background-task.ts';
import { checkJsonReport } from './json-report.ts';
import { readGateName, readQualityGate } from './quality-gate.ts';
import { startPatience } from './patience.ts';
import { locateReport } from './report-location.ts';
import type { ReportTask } from './report-task.ts';
import { readReport } from './report.ts';
import { sonarResultsOf } from './results.ts';
import { refuseOtherCommit, type ScanEvent } from './revision.ts';
import { chooseServer, pageUrl } from './server-address.ts';
import { openSonarServer } from './sonar-server.ts';

/** Which Sonar results are wanted. */
export interface SonarRequest {
  /** The input `sonar-report-path`: a scanner's report, the folder that holds it, or a JSON file of results. */
  readonly reportPath?: string | undefined;
  /** The input `sonar-host-url`. Where it is given, nothing else is asked, whatever the report says. */
  readonly hostUrl?: string | undefined;
  /** The input `sonar-token`; without it public projects can still be read. */
  readonly token?: string | undefined;
  /** The input `sonar-timeout`: how long to wait for the background task and for Sonar's answers, in milliseconds. */
  readonly timeoutMilliseconds: number;
  /** The folder that relative paths start from. */
  readonly workspace: string;
  /** The SHA of the commit being attested. An analysis of another one is refused. */
  readonly expectedRevision: string;
  /** What the job says about that commit. */
  readonly event: ScanEvent;
}

/** The results of a Sonar analysis, and how far they can be trusted. */
export interface SonarEvidence {
  readonly results: SonarResults;
  /** The status of the quality gate in Sonar's words, known ones and others. */
  readonly gateStatus: string;
  /** False where Sonar did not say which commit was analysed, so that `results.revision` is only the expected one. */
  readonly isRevisionVerified: boolean;
  /** The project's page in Sonar, where it is an http or https address. */
  readonly dashboardUrl: string | undefined;
  /** The file that was read. */
  readonly reportPath: string;
  /** What Sonar itself said about the analysis, for example that the clone was shallow. */
  readonly notes: readonly string[];
  /** What the reader may have to mend. The log has it already. */
  readonly warnings: readonly string[];
}

type Learned = Pick<SonarEvidence, 'results' | 'isRevisionVerified' | 'notes'>;

/**
 * Gathers the results of a Sonar scan: from its report, by way of Sonar's web API, or from a JSON file that has them.
 *
 * @throws MistakeError for a report that is missing, ambiguous, malformed, or of another commit, and for a token or
 * address that the server does not accept; TroubleError where the analysis failed or Sonar could not answer; the
 * signal's reason where that is aborted
 */
export async function gatherSonar(request: SonarRequest, context: CallContext): Promise<SonarEvidence> {
  const warnings: string[] = [];
  const warn = (warning: string): void => {
    warnings.push(warning);
    context.log.warning(warning);
  };
  const reportPath = await locateReport(request.reportPath, request.workspace);
  context.log.info(`Sonar report: ${reportPath}`);
  const report = await readReport(reportPath);
  const learned =
    report.kind === 'results'
      ? fromJson(report.document, reportPath, request, warn)
      : await fromServer(report.task, reportPath, request, context, warn);
  const { results } = learned;
  return {
    ...learned,
    gateStatus: results.qualityGate.status,
    dashboardUrl: pageUrl(results.project.url),
    reportPath,
    warnings,
  };
}

function fromJson(
  document: unknown,
  reportPath: string,
  request: SonarRequest,
  warn: (warning: string) => void,
): Learned {
  const results = checkJsonReport(document, reportPath);
  const { revision } = results;
  const isRevisionVerified = revision !== undefined && revision !== '';
  if (isRevisionVerified) {
    refuseOtherCommit(revision, request.expectedRevision, {
      projectKey: results.project.key,
      reportPath,
      event: request.event,
    });
  } else {
    warn(unverified(request.expectedRevision, `The JSON report ${reportPath} holds no \`revision\`.`));
  }
  return { results: { ...results, revision: request.expectedRevision }, isRevisionVerified, notes: [] };
}

async function fromServer(
  report: ReportTask,
  reportPath: string,
  request: SonarRequest,
  context: CallContext,
  warn: (warning: string) => void,
): Promise<Learned> {
  const token = usableToken(request.token);
  const address = chooseServer(request.hostUrl, report, reportPath, token !== undefined);
  address.warnings.forEach(warn);
  context.log.info(`Sonar server: ${address.url.href}${address.namedBy === 'report' ? ' (named by the report)' : ''}`);
  const patience = startPatience(context, request.timeoutMilliseconds);
  const server = openSonarServer(address, { token, schemes: schemesFor(address.url, report) }, context, warn, patience);

  const task = await waitForTask(server, report.ceTaskId, reportPath, patience);
  for (const note of task.warnings) context.log.info(`Sonar says: ${note}`);
  const analysis = await readAnalysis(server, task);
  if (analysis.revision !== undefined) {
    refuseOtherCommit(analysis.revision, request.expectedRevision, {
      projectKey: task.projectKey,
      reportPath,
      event: request.event,
    });
  }
  if (analysis.doubt !== undefined) warn(unverified(request.expectedRevision, analysis.doubt));
  const gate = await readQualityGate(server, task);
  const gateName = await readGateName(server, task, report.organization);
  const results = sonarResultsOf({
    report,
    server: address.url,
    task,
    analysedAt: analysis.analysedAt,
    revision: request.expectedRevision,
    gate,
    gateName,
  });
  return { results, isRevisionVerified: analysis.revision !== undefined, notes: task.warnings };
}

function unverified(expected: string, doubt: string): string {
  return `it could not be verified that the Sonar analysis is of commit ${expected}, which is recorded as its revision. ${doubt}`;
}
