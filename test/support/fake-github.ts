import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { Mapping } from '../../src/runtime/untrusted-data.ts';
import { serve } from '../../tools/loopback-server.ts';

/** A request to the fake. */
export interface GitHubRequest {
  readonly method: string;
  /** The path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty if there is none. */
  readonly body: string;
}

/** A response of the fake. `never` does not respond, and `cut` closes the connection within the body. */
export type GitHubReply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'never'
  | 'cut';

/** A fake of GitHub's API on the loopback interface. */
export interface FakeGitHub {
  /** The address of the host, without a trailing slash. */
  readonly url: string;
  readonly requests: readonly GitHubRequest[];
  /** How requests deviate from GitHub's documentation. */
  readonly breaches: readonly string[];
  close(): Promise<void>;
}

/** Something that answers requests. */
export interface Answering {
  /** Undefined for an unknown request. Adds to `breaches` what GitHub's documentation does not allow. */
  answer(request: GitHubRequest, breaches: string[]): GitHubReply | undefined | Promise<GitHubReply | undefined>;
}

/** Settings of the fake. */
export interface GitHubSettings {
  /** Answers the requests that `replies` does not, and stores what is written. */
  readonly repository?: Answering;
  /** Overrides all other responses. Gets the request and how many came before it. */
  readonly fault?: (request: GitHubRequest, earlier: number) => GitHubReply | undefined;
}

/** Starts a fake that answers these paths (with query), and all others with GitHub's 404. */
export async function startGitHub(
  replies: Readonly<Record<string, GitHubReply>>,
  { repository, fault }: GitHubSettings = {},
): Promise<FakeGitHub> {
  const requests: GitHubRequest[] = [];
  const breaches: string[] = [];
  const replyTo = async (incoming: IncomingMessage): Promise<GitHubReply> => {
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: await textOf(incoming) };
    breaches.push(...breachesOf(request));
    requests.push(request);
    return (
      fault?.(request, requests.length - 1) ?? replies[url] ?? (await repository?.answer(request, breaches)) ?? notFound
    );
  };
  const { url, close } = await serve((incoming, response) => {
    void replyTo(incoming).then((reply) => {
      if (reply === 'never') return;
      if (reply === 'cut') {
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': '1000' });
        response.write('{"sha":', () => response.destroy());
        return;
      }
      response.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8', ...reply.headers });
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    });
  });
  return {
    url,
    requests,
    breaches,
    close,
  };
}

/** What every request to GitHub's API must have (GitHub's documentation, "Getting started with the REST API"). */
function breachesOf({ method, url, headers, body }: GitHubRequest): readonly string[] {
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
