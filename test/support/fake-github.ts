import type { Mapping } from '../../src/runtime/untrusted-data.ts';
import { type FakeRequest, type FakeServer, startFakeServer } from './fake-server.ts';

/** A response of the fake. `never` does not respond, and `cut` closes the connection within the body. */
export type GitHubReply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'never'
  | 'cut';

/** A fake of GitHub's API on the loopback interface. */
export interface FakeGitHub extends FakeServer {
  /** How requests deviate from GitHub's documentation. */
  readonly breaches: readonly string[];
}

/** Something that answers requests. */
export interface Answering {
  /** Undefined for an unknown request. Adds to `breaches` what GitHub's documentation does not allow. */
  answer(request: FakeRequest, breaches: string[]): GitHubReply | undefined | Promise<GitHubReply | undefined>;
}

/** Settings of the fake. */
export interface GitHubSettings {
  /** Answers the requests that `replies` does not, and stores what is written. */
  readonly repository?: Answering;
  /** Overrides all other responses. Gets the request and how many came before it. */
  readonly fault?: (request: FakeRequest, earlier: number) => GitHubReply | undefined;
}

/** Starts a fake that answers these paths (with query), and all others with GitHub's 404. */
export async function startGitHub(
  replies: Readonly<Record<string, GitHubReply>>,
  { repository, fault }: GitHubSettings = {},
): Promise<FakeGitHub> {
  const breaches: string[] = [];
  let earlier = 0;
  const server = await startFakeServer(async (request) => {
    breaches.push(...breachesOf(request));
    earlier += 1;
    const reply =
      fault?.(request, earlier - 1) ??
      replies[request.url] ??
      (await repository?.answer(request, breaches)) ??
      notFound;
    if (typeof reply === 'string') return reply;
    const { status, headers, body } = reply;
    const all = { 'content-type': 'application/json; charset=utf-8', ...headers };
    return { status, headers: all, body: typeof body === 'string' ? body : JSON.stringify(body) };
  });
  return { ...server, breaches };
}

/** What every request to GitHub's API must have (GitHub's documentation, "Getting started with the REST API"). */
function breachesOf({ method, url, headers, body }: FakeRequest): readonly string[] {
  const rules: readonly (readonly [string, boolean])[] = [
    ['a token', /^(?:token|bearer) \S+$/iu.test(headers.authorization ?? '')],
    ['a user agent', (headers['user-agent'] ?? '') !== ''],
    ['the media type of GitHub', headers.accept === 'application/vnd.github+json'],
    ['the version of the API', headers['x-github-api-version'] === '2022-11-28'],
    ['a body of JSON', body === '' || /^application\/json\b/u.test(headers['content-type'] ?? '')],
    ['no body of a GET', method !== 'GET' || body === ''],
  ];
  return rules.flatMap(([rule, kept]) => (kept ? [] : [`${method} ${url} lacks ${rule}`]));
}

/** An error response in GitHub's format. */
export function githubError(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): GitHubReply {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
    headers,
  };
}

const notFound = githubError(404, 'Not Found');
/** A commit as GitHub's API returns it. */
export function apiCommit(sha: string, changes: Mapping = {}): Mapping {
  return {
    sha,
    node_id: 'C_kwDOABCDEF',
    commit: {
      author: { name: 'Ann Dev', email: 'ann@example.com', date: '2026-01-02T03:04:05Z' },
      committer: { name: 'GitHub', email: 'noreply@github.com', date: '2026-02-03T04:05:06Z' },
      message: 'feat: first\n\nbody line',
      tree: { sha: 'f9d2a07e9488b91af2641b26b9407fe22a451433' },
      comment_count: 0,
      verification: { verified: false, reason: 'unsigned', signature: null, payload: null },
      ...changes,
    },
    html_url: `https://github.com/acme/widgets/commit/${sha}`,
    author: { login: 'ann', id: 7 },
    committer: { login: 'web-flow', id: 19864447 },
    parents: [],
    files: [],
  };
}
