import { ExternalError, UserError } from '../../runtime/failure.ts';
import { valueAt } from '../../runtime/untrusted-data.ts';
import { toMiss } from '../commit/github-commit.ts';
import type { GitHubApi, GitHubApiRequest } from './github-api.ts';
import { type GitHubRefusal, unexpectedGitHubResponse } from './github-refusal.ts';

/** The number of entries on each page but the last: GitHub's maximum. */
export const pageSize = 100;

/** The maximum number of pages of a list: more reviews than a pull request can sensibly have. */
const maximumPages = 10;

/**
 * Reads a whole list of GitHub's API, page by page.
 *
 * @param wanted the content, for errors: `the reviews of pull request 12`
 * @throws UserError if the token may not read it or it is longer than 1000 entries; ExternalError if GitHub failed
 */
export async function readWholeList(
  api: GitHubApi,
  route: string,
  parameters: GitHubApiRequest['parameters'],
  wanted: string,
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; page <= maximumPages; page += 1) {
    const entries = await readPage(api, route, { ...parameters, per_page: pageSize, page }, wanted);
    all.push(...entries);
    if (entries.length < pageSize) return all;
  }
  throw new UserError({
    what: `${wanted} are more than ${maximumPages * pageSize}, the most that this step reads`,
    remedy: 'Split the change into smaller pull requests.',
  });
}

/**
 * Reads one page of a list of GitHub's API.
 *
 * @throws like `readWholeList`
 */
export async function readPage(
  api: GitHubApi,
  route: string,
  parameters: GitHubApiRequest['parameters'],
  wanted: string,
): Promise<readonly unknown[]> {
  const body = await read(api, route, parameters, wanted);
  if (!Array.isArray(body)) throw toFailure(unexpectedGitHubResponse(body, 'a list').refusal, wanted);
  const entries: readonly unknown[] = body;
  return entries;
}

/**
 * Reads one thing of GitHub's API.
 *
 * @param key what it must have
 * @throws like `readWholeList`
 */
export async function readOne(
  api: GitHubApi,
  route: string,
  parameters: GitHubApiRequest['parameters'],
  { wanted, key }: { readonly wanted: string; readonly key: string },
): Promise<unknown> {
  const body = await read(api, route, parameters, wanted);
  if (valueAt(body, key) !== undefined) return body;
  throw toFailure(unexpectedGitHubResponse(body, wanted).refusal, wanted);
}

async function read(
  api: GitHubApi,
  route: string,
  parameters: GitHubApiRequest['parameters'],
  wanted: string,
): Promise<unknown> {
  const answer = await api.ask({ route, parameters });
  if ('refusal' in answer) throw toFailure(answer.refusal, wanted);
  return answer.body;
}

function toFailure(refusal: GitHubRefusal, wanted: string): UserError | ExternalError {
  const { kind, what, remedy } = toMiss(refusal, 'contents: read, pull-requests: read').miss;
  const text = { what: `GitHub's API did not return ${wanted}: ${what}`, remedy };
  return kind === 'external' ? new ExternalError(text) : new UserError(text);
}
