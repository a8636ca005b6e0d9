import { listAt, textAt, valueAt } from '../../runtime/values.ts';
import type { FinishedTask } from './background-task.ts';
import { sonarTime } from './sonar-time.ts';
import type { SonarAnswer, SonarServer } from './sonar-server.ts';

/** What Sonar says about when and of which commit an analysis is. */
export interface Analysis {
  readonly analysedAt: string | undefined;
  /** The commit, as the scanner saw it; undefined where Sonar does not say. */
  readonly revision: string | undefined;
  /** Why the revision is not known, and what would make it known, as a sentence; undefined where it is known. */
  readonly doubt: string | undefined;
}

/**
 * Reads when and of which commit the task's analysis is. Sonar knows the first only for tokens that may browse the
 * project; without it the date is the task's and the revision stays unknown.
 *
 * @throws the failure of an answer that only means trouble, such as 500
 */
export async function readAnalysis(server: SonarServer, task: FinishedTask): Promise<Analysis> {
  const found = task.pullRequest === undefined ? await ofBranch(server, task) : await ofPullRequest(server, task);
  if (typeof found === 'string') return { analysedAt: task.executedAt, revision: undefined, doubt: found };
  const analysedAt = found.analysedAt ?? task.executedAt;
  if (found.revision !== undefined) return { analysedAt, revision: found.revision, doubt: undefined };
  return {
    analysedAt,
    revision: undefined,
    doubt:
      'Sonar has no revision for this analysis; the scanner must run in a git checkout with `sonar.scm.disabled` unset.',
  };
}

/** A found analysis, or the doubt. */
type Found = { readonly analysedAt: string | undefined; readonly revision: string | undefined } | string;

const pageSize = 100;

/** The newest come first, so that only somebody who attests an old analysis needs a second page. */
const maximumPages = 5;

async function ofBranch(server: SonarServer, task: FinishedTask): Promise<Found> {
  for (let page = 1; page <= maximumPages; page += 1) {
    const answer = await server.ask({
      path: 'api/project_analyses/search',
      query: { project: task.projectKey, branch: task.branch, p: String(page), ps: String(pageSize) },
      permission: 'Browse',
    });
    if (!answer.ok) return doubtOf(answer, 'the analyses of the project');
    const analyses = listAt(answer.body, 'analyses');
    const analysis = analyses.find((candidate) => textAt(candidate, 'key') === task.analysisId);
    if (analysis !== undefined) {
      return { analysedAt: textAt(analysis, 'date'), revision: textAt(analysis, 'revision') };
    }
    const total = valueAt(answer.body, 'paging', 'total');
    if (analyses.length === 0 || (typeof total === 'number' && page * pageSize >= total)) break;
  }
  const where = task.branch === undefined ? 'the main branch' : `the branch ${task.branch}`;
  return `Sonar does not list the analysis ${task.analysisId} among those of ${where}.`;
}

async function ofPullRequest(server: SonarServer, task: FinishedTask): Promise<Found> {
  const answer = await server.ask({
    path: 'api/project_pull_requests/list',
    query: { project: task.projectKey },
    permission: 'Browse',
  });
  if (!answer.ok) return doubtOf(answer, 'the pull requests of the project');
  const pullRequest = listAt(answer.body, 'pullRequests').find(
    (candidate) => textAt(candidate, 'key') === task.pullRequest,
  );
  if (pullRequest === undefined) return `Sonar does not list the pull request ${task.pullRequest ?? ''}.`;
  const analysedAt = textAt(pullRequest, 'analysisDate');
  if (!isOfTask(analysedAt, task)) {
    return `Sonar lists only the latest analysis of pull request ${task.pullRequest ?? ''}, and that is not this one.`;
  }
  return { analysedAt, revision: textAt(pullRequest, 'commit', 'sha') };
}

/** An analysis is dated when its scan began, before the report was submitted; the one of a later scan is not. */
function isOfTask(analysedAt: string | undefined, task: FinishedTask): boolean {
  const analysed = sonarTime(analysedAt);
  const submitted = sonarTime(task.submittedAt ?? task.executedAt);
  return analysed !== undefined && submitted !== undefined && analysed <= submitted;
}

/** @throws the answer's failure where it does not concern what the token may see or the server has */
function doubtOf(answer: Extract<SonarAnswer, { ok: false }>, what: string): string {
  switch (answer.status) {
    case 401:
    case 403:
      return `\`sonar-token\` may not read ${what} (${answer.status}: ${answer.words}); that takes a user token whose owner has the permission "Browse" on the project, as analysis tokens never do.`;
    case 404:
      return `Sonar does not show ${what} (404: ${answer.words}); that takes an edition that has them, and a user token whose owner has the permission "Browse".`;
    default:
      throw answer.failure;
  }
}
