import { describe, expect, it } from '@jest/globals';
import { createGitHubCommits, type GitHubCommits } from '../../../src/evidence/commit/github-commit.ts';
import { judgedCommit } from '../../../src/evidence/commit/judged-commit.ts';
import type { SourceResult } from '../../../src/evidence/commit/source-result.ts';
import { connectGitHubApi, type GitHubAccess } from '../../../src/evidence/github/github-api.ts';
import { createTransport } from '../../../src/http/undici-transport.ts';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { instantClock, manualClock } from '../../support/clock.ts';
import { closeAfterEach } from '../../support/close-after-each.ts';
import { pullRequestEvent, shas } from '../../support/events.ts';
import { apiCommit, type FakeGitHub, githubError, type GitHubReply, startGitHub } from '../../support/fake-github.ts';
import { jobOf } from '../../support/job.ts';
import { collectingLog } from '../../support/log.ts';

const token = 'ghs_0123456789secret';
const log = collectingLog();
const keep = closeAfterEach();

async function start(replies: Readonly<Record<string, GitHubReply>>): Promise<FakeGitHub> {
  return keep(await startGitHub(replies));
}

function connect(apiUrl: string, options: Partial<GitHubAccess> = {}): GitHubCommits {
  const repository = { owner: 'acme', name: 'widgets' };
  // Deadlines are longer than this, pauses between attempts are shorter.
  const clock = instantClock({ maximumWait: 5000 });
  const transport = keep(createTransport({}));
  const access = { apiUrl, token, repository, transport, log, clock, random: () => 0, ...options };
  return createGitHubCommits(connectGitHubApi(access));
}

function commitPath(sha: string): string {
  return `/repos/acme/widgets/commits/${sha}?per_page=1`;
}

function missOf(answer: SourceResult<unknown>): { kind: string; what: string; remedy: string } {
  if (!('miss' in answer)) throw new Error('the fake response was accepted');
  expect(JSON.stringify(answer)).not.toContain('secret');
  return answer.miss;
}

describe('the commit of GitHub', () => {
  it('is requested with the token, and read in full', async () => {
    const server = await start({ [commitPath(shas.head)]: { status: 200, body: apiCommit(shas.head) } });
    await expect(connect(server.url).commit(shas.head)).resolves.toEqual({
      found: {
        sha: shas.head,
        author: 'Ann Dev <ann@example.com>',
        message: 'feat: first\n\nbody line',
        timestamp: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000,
        committerTimestamp: 1_770_091_506,
      },
    });
    expect(server.requests).toHaveLength(1);
    expect(server.breaches).toEqual([]);
    expect(server.requests[0]).toMatchObject({ method: 'GET', headers: { authorization: `token ${token}` } });
    expect(server.requests[0]?.headers['user-agent']).toMatch(/^compliance-action\/\d/);
  });

  it('is requested below the base path of GHES, with encoded slashes', async () => {
    const path = '/api/v3/repos/acme/widgets/commits/feature%2Flid?per_page=1';
    const server = await start({ [path]: { status: 200, body: apiCommit(shas.head, { message: '' }) } });
    await expect(connect(`${server.url}/api/v3`).commit('feature/lid')).resolves.toMatchObject({
      found: { sha: shas.head, message: '' },
    });
  });

  it.each([
    ['an unknown commit', githubError(422, 'No commit found for SHA'), 'user', /^it answered 422: No commit found/],
    ['a repository it may not see', githubError(404, 'Not Found'), 'user', /^it answered 404: Not Found/],
    ['a missing permission', githubError(403, 'Resource not accessible'), 'user', /^it answered 403: Resource/],
    ['a bad token', githubError(401, 'Bad credentials'), 'user', /^it answered 401: Bad credentials/],
    ['too many requests', githubError(429, 'slow down'), 'external', /^it answered 429: slow down/],
    [
      'a used-up rate limit',
      githubError(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0' }),
      'external',
      /rate limit/,
    ],
    ['a secondary rate limit', githubError(403, 'slow down', { 'retry-after': '60' }), 'external', /slow down/],
    ['its own failure', githubError(502, 'Server Error'), 'external', /^it answered 502: Server Error/],
    [
      'a proxy',
      { status: 200, body: '<html>login</html>', headers: { 'content-type': 'text/html' } },
      'external',
      /the expected form/,
    ],
    [
      'a page in place of an error',
      { status: 503, body: '<html>maintenance</html>', headers: { 'content-type': 'text/html' } },
      'external',
      /^it answered 503 without a GitHub error message \(after 3 attempts\)$/,
    ],
    ['half a commit', { status: 200, body: { sha: shas.head } }, 'external', /the expected form/],
    ['half an answer', 'cut', 'external', /could not be reached: other side closed/],
  ] as const)('is a miss on %s', async (_what, reply, kind, words) => {
    const server = await start({ [commitPath(shas.head)]: reply });
    const miss = missOf(await connect(server.url).commit(shas.head));
    expect(miss.kind).toBe(kind);
    expect(miss.what).toMatch(words);
  });

  it.each([
    ['too many requests', githubError(429, 'slow down'), 'as many requests as GitHub allows'],
    [
      'a used-up rate limit',
      githubError(403, 'x', { 'x-ratelimit-remaining': '0' }),
      'as many requests as GitHub allows',
    ],
    ['its own failure', githubError(502, 'Server Error'), 'githubstatus.com'],
    ['half an answer', 'cut', 'githubstatus.com'],
  ] as const)('says what to do about %s', async (_what, reply, words) => {
    const server = await start({ [commitPath(shas.head)]: reply });
    expect(missOf(await connect(server.url).commit(shas.head)).remedy).toContain(words);
  });

  it('names the permission that may be missing', async () => {
    const server = await start({});
    const miss = missOf(await connect(server.url).commit(shas.head));
    expect(miss.remedy).toContain('`permissions: { contents: read }`');
  });

  it('is a miss if GitHub cannot be reached', async () => {
    const server = await startGitHub({});
    await server.close();
    const miss = missOf(await connect(server.url).commit(shas.head));
    expect(miss).toMatchObject({
      kind: 'external',
      what: expect.stringMatching(/could not be reached: .*ECONNREFUSED/),
    });
  });

  it('ends at the time limit', async () => {
    const server = await start({ [commitPath(shas.head)]: 'never' });
    const clock = manualClock();
    const asking = connect(server.url, { clock, timeout: 7000 }).commit(shas.head);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(7000);
    expect(missOf(await asking)).toMatchObject({
      kind: 'external',
      what: 'it could not be reached: no answer within 7 seconds',
    });
    expect(clock.pending()).toBe(0);
  });

  it("ends with the signal's reason if the job is cancelled", async () => {
    const server = await start({ [commitPath(shas.head)]: 'never' });
    const job = new AbortController();
    const clock = manualClock();
    const asking = connect(server.url, { clock, signal: job.signal }).commit(shas.head);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    job.abort(new Error('the job was cancelled'));
    await expect(asking).rejects.toThrow('the job was cancelled');
    expect(clock.pending()).toBe(0);
  });
});

describe('the head of a pull request', () => {
  it('is the current one, without the branch of a deleted fork', async () => {
    const body = { number: 12, head: { ref: 'feature/lid', sha: shas.head, repo: null }, merge_commit_sha: shas.merge };
    const server = await start({ '/repos/acme/widgets/pulls/12': { status: 200, body } });
    await expect(connect(server.url).pullRequestHead(12)).resolves.toEqual({
      found: { sha: shas.head, branch: undefined },
    });
  });

  it.each([
    [true, 'forker:feature/lid'],
    [false, 'feature/lid'],
  ])('names the branch as the events of pull requests do (of a fork: %s)', async (fork, branch) => {
    const event = pullRequestEvent({ fork });
    const body = valueAt(event, 'pull_request');
    const server = await start({ '/repos/acme/widgets/pulls/12': { status: 200, body } });
    await expect(connect(server.url).pullRequestHead(12)).resolves.toMatchObject({ found: { branch } });
    expect(judgedCommit(jobOf('pull_request', event))).toMatchObject({ branch: { named: branch } });
  });

  it('names the permission that may be missing', async () => {
    const server = await start({});
    const miss = missOf(await connect(server.url).pullRequestHead(12));
    expect(miss.remedy).toContain('`permissions: { pull-requests: read }`');
  });

  it('is a miss without a SHA', async () => {
    const server = await start({ '/repos/acme/widgets/pulls/12': { status: 200, body: { head: { ref: 'x' } } } });
    expect(missOf(await connect(server.url).pullRequestHead(12)).kind).toBe('external');
  });
});

it('writes nothing to the console and no token to the log', async () => {
  const own = collectingLog();
  const reply: GitHubReply = {
    status: 200,
    body: apiCommit(shas.head),
    headers: { deprecation: 'true', sunset: 'soon', link: '<https://docs.github.com>; rel="deprecation"' },
  };
  const server = await start({ [commitPath(shas.head)]: reply });
  await connect(server.url, { log: own }).commit(shas.head);
  expect(own.text()).toMatch(/is deprecated/);
  expect(own.text()).not.toContain(token);
});
