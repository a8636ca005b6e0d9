import { describe, expect, it } from '@jest/globals';
import type { GitHubApi } from '../../../src/evidence/github/github-api.ts';
import { type CommentOrigin, renderOrigin } from '../../../src/step/publish/comment-marker.ts';
import { writeComment } from '../../../src/step/publish/pull-request-comment.ts';
import { shas } from '../../support/events.ts';
import { type GitHubRepository, githubRepository, jobsBot } from '../../support/fake-github-repository.ts';

const marker = '<!-- compliance-action id=1 -->';
const number = 12;
const target = { number, marker };

function draft(run: number, commit: string = shas.head) {
  const origin: CommentOrigin = { run, attempt: 1, commit };
  return { ...target, origin, body: `${marker}\n${renderOrigin(origin)}\n\nrun ${run}` };
}

/** GitHub's API with the rules of the repository double; `before` is called before a request is answered. */
function apiOf(repository: GitHubRepository, before: (route: string) => void = () => undefined): GitHubApi {
  return {
    apiUrl: 'https://api.github.com',
    repository: { owner: 'acme', name: 'widgets' },
    ask({ route, parameters }) {
      before(route);
      const [method = '', path = ''] = route.split(' ');
      const { issue_number, comment_id, ...rest } = parameters;
      const places: Readonly<Record<string, unknown>> = { owner: 'acme', repo: 'widgets', issue_number, comment_id };
      const filled = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => String(places[name]));
      const query = new URLSearchParams(
        Object.entries(rest).map(([key, value]) => [key, String(value)] as [string, string]),
      );
      const url = method === 'GET' ? `${filled}?${query.toString()}` : filled;
      const body = method === 'POST' || method === 'PATCH' ? JSON.stringify(rest) : '';
      const breaches: string[] = [];
      const reply = repository.answer({ method, url, headers: {}, body }, breaches);
      expect(breaches).toEqual([]);
      if (typeof reply === 'object') return Promise.resolve({ body: reply.body });
      return Promise.resolve({ refusal: { reason: 'permission', status: 404, what: 'it answered 404' } });
    },
  };
}

describe('the one comment of a step', () => {
  it('is one, even if two runs create it at the same time', async () => {
    for (const [mine, others] of [
      [18, 17],
      [17, 18],
    ] as const) {
      const repository = githubRepository();
      const other = draft(others, shas.base);
      let done = false;
      const api = apiOf(repository, (route) => {
        if (done || !route.startsWith('POST /repos')) return;
        done = true;
        repository.comment(jobsBot, other.body);
      });
      expect(await writeComment(draft(mine), api)).toMatchObject({ done: mine > others ? 'updated' : 'kept' });
      expect(repository.comments).toHaveLength(1);
      expect(repository.comments[0]?.body).toContain('run 18');
    }
  });

  it('stays the first one if another run starts later', async () => {
    const repository = githubRepository();
    const both = await Promise.all([
      writeComment(draft(17), apiOf(repository)),
      writeComment(draft(18), apiOf(repository)),
    ]);
    expect(both.map((written) => 'done' in written && written.done)).toEqual(['created', 'updated']);
    expect(repository.comments.map(({ body }) => body)).toEqual([draft(18).body]);
  });

  it('replaces duplicates of earlier runs behind hundreds of comments, and leaves those of others and quotes', async () => {
    const repository = githubRepository();
    for (let count = 0; count < 250; count += 1) repository.comment('ann', `Comment ${count}`);
    repository.comment('mallory', draft(16).body);
    repository.comment(jobsBot, `> ${draft(16).body}`);
    repository.comment(jobsBot, draft(16).body);
    repository.comment(jobsBot, draft(15).body);
    await writeComment(draft(17), apiOf(repository));
    expect(repository.comments.slice(250).map(({ author, body }) => [author, body])).toEqual([
      ['mallory', draft(16).body],
      [jobsBot, `> ${draft(16).body}`],
      [jobsBot, draft(17).body],
    ]);
  });

  it('stays as a newer run wrote it for another commit, and only older duplicates are removed', async () => {
    const repository = githubRepository();
    const bodies = [draft(15), draft(18, shas.base), draft(16)].map(({ body }) => body);
    for (const body of bodies) repository.comment(jobsBot, body);
    expect(await writeComment(draft(17), apiOf(repository))).toEqual({ done: 'kept' });
    expect(repository.comments.map(({ body }) => body)).toEqual(bodies.slice(0, 2));
  });

  it('is created again if somebody deletes it before it is updated', async () => {
    const repository = githubRepository();
    repository.comment(jobsBot, draft(16).body);
    const api = apiOf(repository, (route) => {
      if (route.startsWith('PATCH')) repository.comments.length = 0;
    });
    expect(await writeComment(draft(17), api)).toMatchObject({ done: 'created' });
    expect(repository.comments.map(({ body }) => body)).toEqual([draft(17).body]);
  });

  it('is written even if the comments cannot be listed afterwards', async () => {
    const repository = githubRepository();
    let lists = 0;
    const real = apiOf(repository);
    const api: GitHubApi = {
      ...real,
      ask(question) {
        if (question.route.startsWith('GET')) lists += 1;
        if (lists < 2) return real.ask(question);
        return Promise.resolve({ refusal: { reason: 'external', status: 503, what: 'it answered 503' } });
      },
    };
    expect(await writeComment(draft(17), api)).toMatchObject({ done: 'created' });
  });

  it('reports GraphQL’s message if it does not return the user of the token', async () => {
    const repository = githubRepository();
    repository.comment(jobsBot, draft(16).body);
    const real = apiOf(repository);
    const api: GitHubApi = {
      ...real,
      ask: (question) =>
        question.route === 'POST /graphql'
          ? Promise.resolve({ body: { data: null, errors: [{ message: 'Your token lacks a scope' }] } })
          : real.ask(question),
    };
    expect(await writeComment(draft(17), api)).toEqual({
      refusal: {
        reason: 'other',
        status: undefined,
        what: 'its response is not the user of the token: Your token lacks a scope',
      },
    });
  });
});
