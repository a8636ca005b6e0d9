import { UserError } from '../../runtime/failure.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { type QualityGate, readQualityGate } from './quality-gate.ts';
import { namesCommit } from './revision.ts';
import type { SonarApiResult, SonarServer } from './server/sonar-server.ts';
import {
  askForDetail,
  askWithVisitorFallback,
  browseAdvice,
  describeHidden,
  pageSize,
  readBranchAnalyses,
  requireList,
} from './sonar-lists.ts';
import type { AnalysedProject } from './sonar-results.ts';

/** A project, or one of its branches or pull requests. */
export interface SonarProject {
  readonly key: string;
  /** Absent for the main branch, and for a pull request. */
  readonly branch?: string | undefined;
  readonly pullRequest?: string | undefined;
}

export interface FoundAnalysis {
  readonly analysedAt: string | undefined;
  readonly revision: string;
  readonly gate: QualityGate;
  readonly task: AnalysedProject;
}

/**
 * Finds the newest analysis of a commit in Sonar's lists, with its quality gate.
 *
 * @throws UserError if there is none, or the token may not see it; the failure of the response for a server error
 */
export function findAnalysis(server: SonarServer, project: SonarProject, sha: string): Promise<FoundAnalysis> {
  return project.pullRequest === undefined
    ? findOnBranch(server, project, sha)
    : findOfPullRequest(server, project, project.pullRequest, sha);
}

async function findOnBranch(server: SonarServer, project: SonarProject, sha: string): Promise<FoundAnalysis> {
  const { key, branch } = project;
  const where = branch === undefined ? 'the main branch' : `the branch ${branch}`;
  for await (const answer of readBranchAnalyses(server, key, branch)) {
    const analyses = requireShown(server, answer, 'analyses');
    const found = analyses.find((one) => namesCommit(textAt(one, 'revision') ?? '', sha));
    const analysisId = textAt(found, 'key');
    const revision = textAt(found, 'revision');
    if (analysisId !== undefined && revision !== undefined) {
      const gate = await readQualityGate(server, { analysisId });
      const task = await readLastTask(server, project, (last) => textAt(last, 'analysisId') === analysisId);
      return { analysedAt: textAt(found, 'date'), revision, gate, task };
    }
    if (analyses.length < pageSize) break;
  }
  throw createNotFoundError(project, sha, where);
}

async function findOfPullRequest(
  server: SonarServer,
  project: SonarProject,
  key: string,
  sha: string,
): Promise<FoundAnalysis> {
  const before = await readPullRequest(server, project, key);
  const revision = textAt(before, 'commit', 'sha') ?? '';
  if (!namesCommit(revision, sha)) {
    const other = revision === '' ? '' : `; its latest analysis is for commit ${revision}`;
    throw createNotFoundError(project, sha, `pull request ${key}`, other);
  }
  const gate = await readQualityGate(server, { projectKey: project.key, pullRequest: key });
  const task = await readLastTask(server, project, (last) => textAt(last, 'pullRequest') === key);
  const analysedAt = textAt(before, 'analysisDate');
  // Sonar returns only the current gate of a pull request: a scan may have ended since the first request.
  const after = await readPullRequest(server, project, key);
  if (textAt(after, 'analysisDate') === analysedAt && textAt(after, 'commit', 'sha') === revision)
    return { analysedAt, revision, gate, task };
  throw createNotFoundError(project, sha, `pull request ${key}`, ', because it was analysed again meanwhile');
}

/**
 * Reads the name of the project and, if it made the analysis, the project's last background task. Without the right to
 * administer the project, no other task of it can be found.
 */
async function readLastTask(
  server: SonarServer,
  { key, branch, pullRequest }: SonarProject,
  isOfAnalysis: (last: unknown) => boolean,
): Promise<AnalysedProject> {
  const request = { path: 'api/ce/component', query: { component: key } };
  const last = valueAt(await askForDetail(server, request), 'current');
  const task = textAt(last, 'status') === 'SUCCESS' && isOfAnalysis(last) ? last : undefined;
  return {
    id: textAt(task, 'id'),
    status: textAt(task, 'status'),
    projectKey: key,
    projectName: textAt(last, 'componentName'),
    branch,
    branchType: textAt(task, 'branchType'),
    pullRequest,
  };
}

async function readPullRequest(server: SonarServer, { key: project }: SonarProject, key: string): Promise<unknown> {
  const request = { path: 'api/project_pull_requests/list', query: { project } };
  const answer = await askWithVisitorFallback(server, request);
  return requireShown(server, answer, 'pullRequests').find((one) => String(valueAt(one, 'key')) === key);
}

function requireShown(server: SonarServer, answer: SonarApiResult, key: string): readonly unknown[] {
  if (answer.ok) return requireList(answer, key, server);
  // All others say themselves what to correct: the token, the server's address, the project.
  if (answer.status !== 403) throw answer.failure;
  const { what } = describeHidden(answer, 'the analyses of the project', server);
  throw new UserError({ input: 'sonar-token', what, remedy: `${browseAdvice}.` });
}

function createNotFoundError({ key }: SonarProject, sha: string, where: string, detail = ''): UserError {
  return new UserError({
    input: 'sonar-project-key',
    what: `Sonar lists no analysis of commit ${sha} for ${where} of project ${key}${detail}`,
    remedy:
      'Attest after Sonar has processed the scan of this commit, and, if it is not of the main branch, name its branch or pull request in `sonar-branch` or `sonar-pull-request` (or in the JSON report).',
  });
}
