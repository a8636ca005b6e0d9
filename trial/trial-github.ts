import { type LoopbackServer, serve } from '../tools/loopback-server.ts';

/** Starts a stand-in for GitHub. It has one merged pull request of example/web, by ann, which bob approved. */
export function startTrialGitHub(sha: string): Promise<LoopbackServer> {
  const answers = pullRequestAnswers(sha);
  return serve(({ url = '' }, response) => {
    const answer = answers[url.replace(/\?.*$/u, '')];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(answer ?? { message: 'Not Found' }));
  });
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
