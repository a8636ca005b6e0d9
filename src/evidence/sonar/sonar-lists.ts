import { Failure, type FailureText } from '../../runtime/failure.ts';
import { listAt, valueAt } from '../../runtime/untrusted-data.ts';
import { unexpectedSonarResponse } from './server/server-failure.ts';
import type { SonarApiRequest, SonarApiResult, SonarServer } from './server/sonar-server.ts';

/** How to make the revision visible to everyone with access to the background task. */
export const setRevisionAdvice = 'give the scan `-Dsonar.scm.revision=` and the SHA of the scanned commit';

/** How to see the lists. */
export const browseAdvice =
  'Use a user token whose owner has the permissions "Browse" and "Execute Analysis" on the project (analysis tokens may never browse)';

/** The list in which Sonar names the commit of an analysis, for the record. */
export function describeList(pullRequest: string | undefined): string {
  return pullRequest === undefined ? "Sonar's list of analyses" : "Sonar's list of pull requests";
}

/** Sends a request with the token and, if the token has no access, anonymously: everyone may see a public project. */
export async function askWithVisitorFallback(server: SonarServer, request: SonarApiRequest): Promise<SonarApiResult> {
  const answer = await server.ask(request);
  if (!server.hasToken || answer.ok || (answer.status !== 401 && answer.status !== 403)) return answer;
  // If that is redirected to a login page or fails, the response to the token counts.
  const open = await orUndefined(server.ask({ ...request, anonymously: true, isBestEffort: true }));
  return open?.ok === true ? open : answer;
}

/** Asks for what the evidence is complete without; undefined if Sonar does not say it. */
export async function askForDetail(server: SonarServer, request: SonarApiRequest): Promise<unknown> {
  const answer = await orUndefined(askWithVisitorFallback(server, { ...request, isBestEffort: true }));
  return answer?.ok === true ? answer.body : undefined;
}

async function orUndefined<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** How many analyses a page of `readBranchAnalyses` has. */
export const pageSize = 100;

/** The newest come first, so only an old analysis needs a second page. */
const maximumPages = 5;

/** Asks for Sonar's list of the analyses of a branch (undefined: the main one), which has all of them, page by page. */
export async function* readBranchAnalyses(
  server: SonarServer,
  project: string,
  branch: string | undefined,
): AsyncGenerator<SonarApiResult, void, undefined> {
  for (let page = 1; page <= maximumPages; page += 1) {
    const query = { project, branch, p: String(page), ps: String(pageSize) };
    yield askWithVisitorFallback(server, { path: 'api/project_analyses/search', query });
  }
}

/**
 * The list with this key in a response.
 *
 * @throws ExternalError if there is none
 */
export function requireList(
  answer: Extract<SonarApiResult, { ok: true }>,
  key: string,
  server: SonarServer,
): readonly unknown[] {
  if (Array.isArray(valueAt(answer.body, key))) return listAt(answer.body, key);
  throw unexpectedSonarResponse({ url: answer.url, address: server.address }, `JSON without a list of \`${key}\``);
}

/**
 * Why a list cannot be read.
 *
 * @throws the failure of the response if it is about neither access nor existence
 */
export function describeHidden(
  answer: Extract<SonarApiResult, { ok: false }>,
  what: string,
  server: SonarServer,
): FailureText {
  const { status, message } = answer;
  if (status !== 401 && status !== 403 && status !== 404) throw answer.failure;
  const toWhom = server.hasToken ? 'to `sonar-token`' : 'without a token';
  return {
    what: `Sonar does not show ${what} ${toWhom} (${status}: ${message}).`,
    remedy: `${browseAdvice}, or ${setRevisionAdvice}.`,
  };
}
