import { isMapping, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { Answering, GitHubReply } from './fake-github.ts';
import type { FakeRequest } from './fake-server.ts';

/** A comment on a pull request, as the fake stores it. */
export interface KeptComment {
  readonly id: number;
  readonly pullRequest: number;
  readonly author: string;
  body: string;
}

/** A commit status, as the fake stores it. */
export interface KeptStatus {
  readonly sha: string;
  readonly state: string;
  readonly context: string;
  readonly description: string | undefined;
  readonly targetUrl: string | undefined;
}

/** A GitHub repository that stores comments and statuses by the rules of GitHub's documentation. */
export interface GitHubRepository extends Answering {
  readonly comments: KeptComment[];
  /** All statuses that were set, in order. */
  readonly statuses: readonly KeptStatus[];
  /** Adds a comment by another author. */
  comment(author: string, body: string): KeptComment;
  answer(request: FakeRequest, breaches: string[]): GitHubReply | undefined;
}

/** The author of comments written with the job's own token. */
export const jobsBot = 'github-actions[bot]';

/** A commit of the branch `main`. */
export interface HistoryCommit {
  readonly sha: string;
  /** The first parent first; by default the next commit of the history, if there is one. */
  readonly parents?: readonly string[];
  readonly author?: string;
  /** Those that GitHub names for it; by default one that was merged and reviewed. */
  readonly pullRequests?: readonly Mapping[];
}

export interface RepositorySettings {
  /** The owner of the token. */
  readonly login?: string;
  /** Its open pull requests, as GitHub lists them. */
  readonly pullRequests?: readonly Mapping[];
  /** The commits of `main`, in the order in which GitHub lists them: the newest first. */
  readonly history?: readonly HistoryCommit[];
}

/** The repository acme/widgets, in which pull request 12 has no comments yet. */
export function githubRepository(settings: RepositorySettings = {}): GitHubRepository {
  const { login = jobsBot, pullRequests = [], history = [] } = settings;
  const comments: KeptComment[] = [];
  const statuses: KeptStatus[] = [];
  let nextId = 9000;
  const comment = (author: string, body: string, pullRequest = 12): KeptComment => {
    const kept = { id: nextId, pullRequest, author, body };
    nextId += 1;
    comments.push(kept);
    return kept;
  };

  const listComments: Handler = ({ query, number }) => {
    const page = Number(query.get('page') ?? 1);
    const size = Number(query.get('per_page') ?? 30);
    if (size > 100 || page < 1) throw new Breach('a page of at most 100, counted from 1');
    const all = comments.filter((one) => one.pullRequest === number);
    return ok(all.slice((page - 1) * size, page * size).map(asGitHub));
  };
  const createComment: Handler = ({ document, number }) => {
    const body = commentText(document);
    if (body.length > 65_536) return tooLong;
    return { status: 201, body: asGitHub(comment(login, body, number)) };
  };
  const updateComment: Handler = ({ document, number }) => {
    const body = commentText(document);
    const found = comments.find(({ id }) => id === number);
    if (found === undefined) return undefined;
    if (body.length > 65_536) return tooLong;
    found.body = body;
    return ok(asGitHub(found));
  };
  const deleteComment: Handler = ({ number }) => {
    const index = comments.findIndex(({ id }) => id === number);
    if (index < 0) return undefined;
    comments.splice(index, 1);
    return { status: 204, body: '' };
  };
  const createStatus: Handler = ({ document, sha }) => {
    const status = statusFrom(document, sha);
    statuses.push(status);
    return { status: 201, body: { ...status, target_url: status.targetUrl, creator: { login } } };
  };
  const askGraphQL: Handler = ({ document }) => {
    if (textAt(document, 'query')?.replaceAll(/\s+/gu, ' ') !== 'query { viewer { login } }')
      throw new Breach('a query');
    return ok({ data: { viewer: { login } } });
  };
  const listPullRequests: Handler = ({ query }) => {
    const [owner, ref] = (query.get('head') ?? '').split(':');
    const found = pullRequests.filter(
      (one) => textAt(one, 'head', 'ref') === ref && textAt(one, 'head', 'user', 'login') === owner,
    );
    return ok(found);
  };
  const showMain: Handler = () => ok({ name: 'main', commit: { sha: history[0]?.sha } });
  const listCommits: Handler = ({ query }) => {
    const page = Number(query.get('page') ?? 1);
    const size = Number(query.get('per_page') ?? 30);
    if (size > 100 || page < 1) throw new Breach('a page of at most 100, counted from 1');
    const date = '2026-02-03T04:05:06Z';
    const head = history.findIndex(({ sha }) => sha === query.get('sha'));
    if (head < 0) return undefined;
    const listed = history.map(({ sha, parents, author = 'ann' }, index) => ({
      sha,
      html_url: `https://github.com/acme/widgets/commit/${sha}`,
      commit: { author: { name: 'Ann Dev', date }, committer: { name: 'GitHub', date }, message: 'feat: lid' },
      author: { login: author },
      parents: (parents ?? history.slice(index + 1, index + 2).map((next) => next.sha)).map((parent) => ({
        sha: parent,
      })),
    }));
    return ok(listed.slice(head).slice((page - 1) * size, page * size));
  };
  const listPullRequestsOfCommit: Handler = ({ sha }) =>
    ok(history.find((one) => one.sha === sha)?.pullRequests ?? [mergedPullRequest]);

  const repository = '/repos/acme/widgets';
  const endpoints: readonly (readonly [string, RegExp, Handler])[] = [
    ['GET', new RegExp(`^${repository}/issues/(?<number>\\d+)/comments$`, 'u'), listComments],
    ['POST', new RegExp(`^${repository}/issues/(?<number>\\d+)/comments$`, 'u'), createComment],
    ['PATCH', new RegExp(`^${repository}/issues/comments/(?<number>\\d+)$`, 'u'), updateComment],
    ['DELETE', new RegExp(`^${repository}/issues/comments/(?<number>\\d+)$`, 'u'), deleteComment],
    ['POST', new RegExp(`^${repository}/statuses/(?<sha>[0-9a-f]{40})$`, 'u'), createStatus],
    ['GET', new RegExp(`^${repository}/pulls$`, 'u'), listPullRequests],
    ['GET', new RegExp(`^${repository}/branches/main$`, 'u'), showMain],
    ['GET', new RegExp(`^${repository}/commits$`, 'u'), listCommits],
    ['GET', new RegExp(`^${repository}/commits/(?<sha>[0-9a-f]{40})/pulls$`, 'u'), listPullRequestsOfCommit],
    ['GET', new RegExp(`^${repository}/pulls/\\d+/reviews$`, 'u'), () => ok([approval])],
    ['GET', new RegExp(`^${repository}/pulls/\\d+/commits$`, 'u'), () => ok([])],
    ['GET', new RegExp(`^${repository}/collaborators/bob/permission$`, 'u'), () => ok({ permission: 'write' })],
    ['POST', /^\/graphql$/u, askGraphQL],
  ];
  return {
    comments,
    statuses,
    comment: (author, body) => comment(author, body),
    answer(request, breaches) {
      const { pathname, searchParams } = new URL(request.url, 'http://stand.in');
      for (const [method, path, handle] of endpoints) {
        const match = path.exec(pathname);
        if (match === null || method !== request.method) continue;
        const { number, sha = '' } = match.groups ?? {};
        try {
          return handle({ query: searchParams, document: parse(request.body), number: Number(number), sha });
        } catch (thrown) {
          if (!(thrown instanceof Breach)) throw thrown;
          breaches.push(`${method} ${pathname} lacks ${thrown.message}`);
          return { status: 422, body: { message: `Invalid request: ${thrown.message}` } };
        }
      }
      return undefined;
    },
  };
}

const mergedPullRequest: Mapping = {
  number: 11,
  state: 'closed',
  title: 'Add a lid',
  html_url: 'https://github.com/acme/widgets/pull/11',
  user: { login: 'ann' },
  merged_at: '2026-01-03T00:00:00Z',
  head: { ref: 'lid' },
  base: { ref: 'main', repo: { full_name: 'acme/widgets' } },
};

const approval: Mapping = {
  user: { login: 'bob', type: 'User' },
  state: 'APPROVED',
  submitted_at: '2026-01-02T00:00:00Z',
};

interface Asked {
  readonly query: URLSearchParams;
  readonly document: unknown;
  readonly number: number;
  readonly sha: string;
}

type Handler = (asked: Asked) => GitHubReply | undefined;

/** Something that GitHub's documentation does not allow. */
export class Breach extends Error {}

export function parse(body: string): unknown {
  try {
    return body === '' ? undefined : JSON.parse(body);
  } catch {
    throw new Breach('a body of JSON');
  }
}

function ok(body: unknown): GitHubReply {
  return { status: 200, body };
}

const tooLong: GitHubReply = {
  status: 422,
  body: {
    message: 'Validation Failed',
    errors: [{ resource: 'IssueComment', field: 'data', message: 'Body is too long (maximum is 65536 characters)' }],
  },
};

function commentText(document: unknown): string {
  onlyKeys(document, ['body']);
  const body = textAt(document, 'body');
  if (body === undefined) throw new Breach('a body with a text');
  return body;
}

function statusFrom(document: unknown, sha: string): KeptStatus {
  onlyKeys(document, ['state', 'target_url', 'description', 'context']);
  const state = textAt(document, 'state') ?? '';
  if (!['error', 'failure', 'pending', 'success'].includes(state)) throw new Breach('a known state');
  const [description, context = 'default', targetUrl] = ['description', 'context', 'target_url'].map((key) => {
    const value = valueAt(document, key);
    if (value !== undefined && typeof value !== 'string') throw new Breach(`a text as ${key}`);
    return value;
  });
  if (description !== undefined && description.length > 140)
    throw new Breach('a description of at most 140 characters');
  if (/[\u{10000}-\u{10FFFF}]/u.test(`${description ?? ''}${context}`))
    throw new Breach('only characters up to U+FFFF');
  if (context.length > 255) throw new Breach('a context of at most 255 characters');
  if (targetUrl !== undefined && !/^https?:\/\//u.test(targetUrl)) throw new Breach('a target_url of http or https');
  return { sha, state, context, description, targetUrl };
}

function onlyKeys(document: unknown, allowed: readonly string[]): void {
  if (!isMapping(document)) throw new Breach('a JSON object');
  const unknown = Object.keys(document).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) throw new Breach(`only known fields, not ${unknown.join(', ')}`);
}

function asGitHub({ id, pullRequest, author, body }: KeptComment): Mapping {
  return {
    id,
    node_id: `IC_${id}`,
    html_url: `https://github.com/acme/widgets/pull/${pullRequest}#issuecomment-${id}`,
    issue_url: `https://api.github.com/repos/acme/widgets/issues/${pullRequest}`,
    body,
    user: { login: author, id: author.length, type: author.endsWith('[bot]') ? 'Bot' : 'User' },
    created_at: '2026-01-02T03:04:05Z',
    updated_at: '2026-01-02T03:04:05Z',
    author_association: 'CONTRIBUTOR',
  };
}
