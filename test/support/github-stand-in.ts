import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Mapping } from '../../src/runtime/values.ts';

/** What was asked of the stand-in. */
export interface GitHubRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** An answer of the stand-in; `never` keeps the asker waiting, `cut` breaks the connection within the body. */
export type GitHubReply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'never'
  | 'cut';

/** A stand-in for GitHub's API on the loopback. */
export interface GitHubStandIn {
  /** Its base address, without a slash at the end. */
  readonly url: string;
  readonly requests: readonly GitHubRequest[];
  close(): Promise<void>;
}

/** Starts a stand-in that answers the paths (with query) it knows, and 404 in GitHub's words to all others. */
export async function startGitHub(replies: Readonly<Record<string, GitHubReply>>): Promise<GitHubStandIn> {
  const requests: GitHubRequest[] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    const reply = replies[request.url ?? ''] ?? notFound;
    if (reply === 'never') return;
    if (reply === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': '1000' });
      response.write('{"sha":', () => response.destroy());
      return;
    }
    response.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** An error in GitHub's form. */
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

/** A commit as GitHub's API describes it. */
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
