import { ExternalError, UserError } from '../../runtime/failure.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { GitHubApi } from '../github/github-api.ts';
import { pageSize, readOne, readPage } from '../github/github-lists.ts';
import { parseTimestamp } from './commit-facts.ts';

/** Where commits begin: after a commit, or at a time in Unix seconds. */
export type Since = { readonly sha: string; readonly time?: never } | { readonly time: number; readonly sha?: never };

export interface BranchCommit {
  readonly sha: string;
  readonly firstParent: string | undefined;
  /** When it was committed, in Unix seconds, as whoever pushed it says; undefined if that is not a time. */
  readonly time: number | undefined;
  /** The author's login, or else name. */
  readonly author: string;
  readonly url: string | undefined;
}

/** First-parent commits, the newest first. */
export interface CommitRange {
  readonly commits: readonly BranchCommit[];
  /** Whether they go back to the first commit of the branch. */
  readonly isWhole: boolean;
}

export interface RangeQuery {
  readonly branch: string;
  readonly head: string;
  readonly since: Since | undefined;
  /** A commit that is the last one wanted, if the branch has it. */
  readonly first: string | undefined;
}

export const maximumCommits = 1000;

/** The maximum number of pages: a branch with many merges lists far more commits than its first parents. */
const maximumPages = 100;

/** @throws UserError if there is no such branch or the token may not read it; ExternalError if GitHub failed */
export async function fetchHead(branch: string, api: GitHubApi): Promise<string> {
  const route = 'GET /repos/{owner}/{repo}/branches/{branch}';
  const wanted = `the branch ${branch}`;
  const head = fullSha(valueAt(await readOne(api, route, { branch }, { wanted, key: 'commit' }), 'commit', 'sha'));
  if (head !== undefined) return head;
  throw new ExternalError({ what: `GitHub's API did not say what the head of ${wanted} is`, remedy: listRemedy });
}

/**
 * The first-parent commits of a branch. GitHub's own `since` is not used: it would end at any commit with an old date.
 *
 * @throws UserError if there are too many, or if `since` is not among them; UserError or ExternalError without an answer
 */
export async function listFirstParents(query: RangeQuery, api: GitHubApi): Promise<CommitRange> {
  const { branch, head } = query;
  return walkFirstParents(query, async (page) => {
    // From the head, so that a push meanwhile changes nothing.
    const parameters = { sha: head, per_page: pageSize, page };
    const listed = await readPage(api, 'GET /repos/{owner}/{repo}/commits', parameters, `the commits of ${branch}`);
    return listed.flatMap((entry) => parseCommit(entry) ?? []);
  });
}

function parseCommit(entry: unknown): BranchCommit | undefined {
  const sha = fullSha(valueAt(entry, 'sha'));
  if (sha === undefined) return undefined;
  return {
    sha,
    firstParent: fullSha(valueAt(listAt(entry, 'parents')[0], 'sha')),
    time: parseTimestamp(textAt(entry, 'commit', 'committer', 'date') ?? ''),
    author: textAt(entry, 'author', 'login') ?? textAt(entry, 'commit', 'author', 'name') ?? 'unknown',
    url: textAt(entry, 'html_url'),
  };
}

/**
 * Follows the first parents from the head through the pages of a list of all commits, in which every commit comes after
 * its children. A date ends the range below the oldest commit that is not older, and only a page without any such commit
 * ends the search, so that one commit with a false date hides none.
 */
export async function walkFirstParents(
  query: RangeQuery,
  fetchPage: (page: number) => Promise<readonly BranchCommit[]>,
): Promise<CommitRange> {
  const walk = new FirstParentWalk(query);
  for (let page = 1; page <= maximumPages; page += 1) {
    const range = walk.add(await fetchPage(page));
    if (range !== undefined) return range;
  }
  throw createTooManyError(query.branch);
}

class FirstParentWalk {
  readonly #query: RangeQuery;
  readonly #listed = new Map<string, BranchCommit>();
  readonly #walked: BranchCommit[] = [];
  /** Undefined at the end of the branch, or of what is wanted. */
  #next: string | undefined;

  constructor(query: RangeQuery) {
    this.#query = query;
    this.#next = query.head;
  }

  /** Adds a page. Returns the range if no other page can change it. */
  add(entries: readonly BranchCommit[]): CommitRange | undefined {
    this.#follow(entries);
    const commits = this.#walked.slice(0, this.#walked.findLastIndex((commit) => !this.#isOld(commit)) + 1);
    if (commits.length > maximumCommits) throw createTooManyError(this.#query.branch);
    const hasEnded = this.#hasEnded() || this.#isBelow(entries);
    const isWhole = hasEnded && commits.length === this.#walked.length && commits.at(-1)?.firstParent === undefined;
    return hasEnded ? { commits, isWhole: isWhole && commits.length > 0 } : undefined;
  }

  #hasEnded(): boolean {
    const { branch, since, first } = this.#query;
    if (this.#next !== undefined) return this.#next === since?.sha;
    if (since?.sha === undefined || this.#walked.at(-1)?.sha === first) return true;
    throw new UserError({
      input: 'since',
      what: `since: commit ${since.sha} is not a first-parent commit of branch ${branch}`,
      remedy: 'Set `since` to a commit that `git log --first-parent` shows for the branch.',
    });
  }

  /** Whether a page has only commits older than the range, and so has every later one. */
  #isBelow(entries: readonly BranchCommit[]): boolean {
    if (entries.length < pageSize) throw createGapError(this.#next ?? '', this.#query.branch);
    return entries.every((entry) => this.#isOld(entry));
  }

  #follow(entries: readonly BranchCommit[]): void {
    const { since, first } = this.#query;
    for (const entry of entries) this.#listed.set(entry.sha, entry);
    while (this.#next !== undefined && this.#next !== since?.sha) {
      const found = this.#listed.get(this.#next);
      if (found === undefined) return;
      this.#walked.push(found);
      // Visits each commit once, so that a cycle in a broken answer ends the walk.
      this.#listed.delete(found.sha);
      this.#next = found.sha === first ? undefined : found.firstParent;
    }
  }

  #isOld({ time }: BranchCommit): boolean {
    const { since } = this.#query;
    return since?.time !== undefined && time !== undefined && time < since.time;
  }
}

function createTooManyError(branch: string): UserError {
  return new UserError({
    input: 'since',
    what: `branch ${branch} has too many commits to audit: more than ${maximumCommits} first parents, or ${maximumPages * pageSize} in all`,
    remedy: 'Set `since` to a later commit or time.',
  });
}

const listRemedy = "Run the job again; if it keeps failing, check that GITHUB_API_URL is the URL of GitHub's API.";

function createGapError(sha: string, branch: string): ExternalError {
  return new ExternalError({
    what: `GitHub's list of the commits of branch ${branch} ends without commit ${sha}, so the audit would be incomplete`,
    remedy: listRemedy,
  });
}
