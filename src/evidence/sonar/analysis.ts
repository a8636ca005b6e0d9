import { type FailureText, UserError } from '../../runtime/failure.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { FinishedTask } from './background-task.ts';
import { revisionFromScannerContext } from './scanner-context.ts';
import type { SonarServer } from './server/sonar-server.ts';
import {
  askWithVisitorFallback,
  describeHidden,
  describeList,
  pageSize,
  readBranchAnalyses,
  requireList,
  setRevisionAdvice,
} from './sonar-lists.ts';
import { parseSonarTime } from './sonar-time.ts';

/** What Sonar knows about an analysis: its time, and its revision and what names it, or why none is confirmed. */
export type Analysis = { readonly analysedAt: string | undefined } & (
  | { readonly revision: string; readonly confirmedBy: string; readonly doubt?: never }
  | { readonly revision?: never; readonly confirmedBy?: never; readonly doubt: FailureText }
);

/**
 * Reads the time and the commit of the task's analysis: from Sonar's list of analyses, else from the data that the
 * scanner sent, which everyone with access to the task may read. If the list cannot be read, the time is the task's.
 *
 * @param reportPath the report that named the task, for error messages
 * @throws UserError if Sonar does not list the analysis; the failure of the response if it is a server error, such as
 * 500
 */
export async function readAnalysis(server: SonarServer, task: FinishedTask, reportPath: string): Promise<Analysis> {
  const listing = await lookUpAnalysis(server, task, reportPath);
  const analysedAt = (listing.doubt === undefined ? listing.analysedAt : undefined) ?? task.executedAt;
  const listed = listing.doubt === undefined ? listing.revision : undefined;
  if (listed !== undefined) return { analysedAt, revision: listed, confirmedBy: describeList(task.pullRequest) };
  const given = await readGivenRevision(server, task);
  if (given === undefined) return { analysedAt, doubt: listing.doubt ?? withoutRevision };
  return { analysedAt, revision: given, confirmedBy: 'sonar.scm.revision, which the scan was given' };
}

const withoutRevision: FailureText = {
  what: 'Sonar has no revision for this analysis.',
  remedy: `Run the scan in a git checkout, without \`sonar.scm.disabled\`; or ${setRevisionAdvice}.`,
};

async function readGivenRevision(server: SonarServer, task: FinishedTask): Promise<string | undefined> {
  const query = { id: task.id, additionalFields: 'scannerContext' };
  const answer = await server.ask({ path: 'api/ce/task', query });
  if (answer.ok) return revisionFromScannerContext(textAt(answer.body, 'task', 'scannerContext') ?? '');
  if (answer.failure.kind === 'external') throw answer.failure;
  return undefined;
}

/** An analysis as Sonar lists it, or why the lists are not conclusive. */
export type Listing =
  | { readonly analysedAt: string | undefined; readonly revision: string | undefined; readonly doubt?: never }
  | { readonly doubt: FailureText };

/**
 * Looks up the task's analysis in Sonar's lists: the list of the branch, which contains every analysis, or the list of
 * pull requests, which contains the latest analysis of each.
 *
 * @param reportPath the report that named the task, for error messages
 * @throws UserError if a list was read to its end without the analysis; the failure of the response if it is a server
 * error, such as 500
 */
export function lookUpAnalysis(server: SonarServer, task: FinishedTask, reportPath: string): Promise<Listing> {
  return task.pullRequest === undefined
    ? lookUpOnBranch(server, task, reportPath)
    : lookUpPullRequest(server, task, task.pullRequest, reportPath);
}

async function lookUpOnBranch(server: SonarServer, task: FinishedTask, reportPath: string): Promise<Listing> {
  const branch = task.branch === undefined ? 'the main branch' : `the branch ${task.branch}`;
  let read = 0;
  for await (const answer of readBranchAnalyses(server, task.projectKey, task.branch)) {
    if (!answer.ok) {
      if (answer.status === 404 && isMissingBranch(answer.message))
        throw createNotListedError(task, branch, reportPath, answer.message);
      return { doubt: describeHidden(answer, 'the analyses of the project', server) };
    }
    const analyses = requireList(answer, 'analyses', server);
    const analysis = analyses.find((candidate) => textAt(candidate, 'key') === task.analysisId);
    if (analysis !== undefined) return { analysedAt: textAt(analysis, 'date'), revision: textAt(analysis, 'revision') };
    read += analyses.length;
    const total = valueAt(answer.body, 'paging', 'total');
    if (typeof total === 'number' ? read >= total : analyses.length < pageSize)
      throw createNotListedError(task, branch, reportPath);
    if (analyses.length === 0) break;
  }
  return {
    doubt: {
      what: `The analysis is not among the newest ${read} of ${branch}, and Sonar has more analyses than this step reads.`,
      remedy: `Attest an analysis in the job that made it, or ${setRevisionAdvice}.`,
    },
  };
}

/** Sonar's message for a branch that no longer exists: `Component 'x' on branch 'y' not found`. */
function isMissingBranch(words: string): boolean {
  return / on branch .* not found/iu.test(words);
}

async function lookUpPullRequest(
  server: SonarServer,
  task: FinishedTask,
  key: string,
  reportPath: string,
): Promise<Listing> {
  const request = { path: 'api/project_pull_requests/list', query: { project: task.projectKey } };
  const answer = await askWithVisitorFallback(server, request);
  if (!answer.ok) return { doubt: describeHidden(answer, 'the pull requests of the project', server) };
  const pullRequests = requireList(answer, 'pullRequests', server);
  const pullRequest = pullRequests.find((candidate) => textAt(candidate, 'key') === key);
  const total = valueAt(answer.body, 'paging', 'total');
  const isWhole = typeof total !== 'number' || pullRequests.length >= total;
  if (pullRequest === undefined && isWhole) throw createNotListedError(task, `pull request ${key}`, reportPath);
  const analysedAt = textAt(pullRequest, 'analysisDate');
  if (isFromTask(analysedAt, task)) return { analysedAt, revision: textAt(pullRequest, 'commit', 'sha') };
  return {
    doubt: {
      what: `Sonar lists only the latest analysis of pull request ${key}, and nothing shows that it is this one.`,
      remedy: `Attest an analysis in the job that made it, before the next scan of the pull request ends; or ${setRevisionAdvice}.`,
    },
  };
}

/** The date of an analysis is the start of its scan, before its report was submitted; a later scan has a later date. */
function isFromTask(analysedAt: string | undefined, task: FinishedTask): boolean {
  const analysed = parseSonarTime(analysedAt);
  const submitted = parseSonarTime(task.submittedAt ?? task.executedAt);
  return analysed !== undefined && submitted !== undefined && analysed <= submitted;
}

function createNotListedError(task: FinishedTask, where: string, reportPath: string, words?: string): UserError {
  const said = words === undefined ? '' : ` (${words})`;
  return new UserError({
    input: 'sonar-report-path',
    what: `Sonar does not list the analysis ${task.analysisId} (${reportPath}) for ${where} of project ${task.projectKey}${said}, so its commit is unknown`,
    remedy:
      "A user or the server's housekeeping deleted the analysis: run the scan again, and attest its report in the same job.",
  });
}
