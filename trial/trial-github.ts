import { createServer } from 'node:http';

/** A stand-in for GitHub's API on the loopback interface. */
export interface TrialGitHub {
  /** The base address of the API. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a stand-in that knows one merged pull request of a commit of example/web, written by ann and approved by bob. */
export async function startTrialGitHub(sha: string): Promise<TrialGitHub> {
  const answers = pullRequestAnswers(sha);
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url.replace(/\?.*$/u, '')];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(answer ?? { message: 'Not Found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in for GitHub has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** The answers by path, with the fields of GitHub's REST API that a step reads. */
function pullRequestAnswers(sha: string): Readonly<Record<string, unknown>> {
  const repository = '/repos/example/web';
  const page = 'https://github.com/example/web';
  const written = { name: 'Ann Dev', email: 'ann@example.com', date: '2026-11-18T09:00:00Z' };
  return {
    [`${repository}/commits/${sha}/pulls`]: [
      {
        number: 7,
        state: 'closed',
        title: 'Begin the web front end',
        html_url: `${page}/pull/7`,
        user: { login: 'ann', type: 'User' },
        created_at: '2026-11-18T09:10:00Z',
        merged_at: '2026-11-18T10:30:00Z',
        merge_commit_sha: sha,
        head: { ref: 'begin', sha },
        base: { ref: 'main', repo: { full_name: 'example/web' } },
      },
    ],
    [`${repository}/pulls/7/reviews`]: [
      { id: 1, user: { login: 'bob', type: 'User' }, state: 'APPROVED', submitted_at: '2026-11-18T10:00:00Z' },
    ],
    [`${repository}/collaborators/bob/permission`]: { permission: 'write', role_name: 'maintain' },
    [`${repository}/pulls/7/commits`]: [
      {
        sha,
        html_url: `${page}/commit/${sha}`,
        commit: { message: 'feat: begin', author: written, committer: written },
        author: { login: 'ann' },
        committer: { login: 'ann' },
        parents: [],
      },
    ],
  };
}
