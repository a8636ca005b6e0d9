import { describe, expect, it } from '@jest/globals';
import {
  connectGitHubApi,
  type GitHubApiRequest,
  type GitHubApiResult,
} from '../../../src/evidence/github/github-api.ts';
import type { Transport } from '../../../src/http/transport.ts';
import { createTransport } from '../../../src/http/undici-transport.ts';
import { closedPort } from '../../../tools/loopback-server.ts';
import { type InstantClock, instantClock } from '../../support/clock.ts';
import { closeAfterEach } from '../../support/close-after-each.ts';
import { type FakeGitHub, githubError, type GitHubReply, startGitHub } from '../../support/fake-github.ts';
import { type CollectingLog, collectingLog } from '../../support/log.ts';

const keep = closeAfterEach();
const repository = { owner: 'acme', name: 'widgets' };
const get: GitHubApiRequest = { route: 'GET /thing', parameters: {} };
const post: GitHubApiRequest = { route: 'POST /thing', parameters: { body: 'text' } };

interface Asked {
  readonly answer: GitHubApiResult;
  readonly server: FakeGitHub;
  readonly clock: InstantClock;
  readonly log: CollectingLog;
}

function transportOf(): Transport {
  return keep(createTransport({}));
}

const access = { token: 'hush', repository, random: () => 0 };

function redirect(status: number, location: string): GitHubReply {
  return { status, body: '', headers: { location } };
}

/** Sends a request to a fake that returns these answers in order and repeats the last one. */
async function asked(question: GitHubApiRequest, ...replies: readonly GitHubReply[]): Promise<Asked> {
  const server = keep(await startGitHub({}, { fault: (_request, earlier) => replies[earlier] ?? replies.at(-1) }));
  const clock = instantClock({ maximumWait: 15_000 });
  const log = collectingLog();
  const api = connectGitHubApi({ ...access, apiUrl: server.url, transport: transportOf(), log, clock });
  return { answer: await api.ask(question), server, clock, log };
}

const fine: GitHubReply = { status: 200, body: { is: 'fine' } };
const down = githubError(502, 'Server Error');

describe('a request to GitHub', () => {
  it('has a token, a version and a media type', async () => {
    const { answer, server } = await asked(post, fine);
    expect(answer).toEqual({ body: { is: 'fine' } });
    expect(server.breaches).toEqual([]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ body: 'text' });
  });

  it('is retried after growing pauses if GitHub is briefly down', async () => {
    const { answer, clock, log } = await asked(get, down, down, fine);
    expect(answer).toEqual({ body: { is: 'fine' } });
    expect(clock.waits).toEqual([500, 1000]);
    expect(log.infos[0]).toBe('GitHub: attempt 1 of 3: the answer was 502; trying again in 0.5 s');
  });

  it('fails after three attempts, and says so', async () => {
    const { answer, server } = await asked(get, down);
    expect(answer).toEqual({
      refusal: {
        reason: 'external',
        status: 502,
        what: expect.stringMatching(/^it answered 502: .*after 3 attempts/u),
      },
    });
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['its own failure', down],
    ['a broken answer', 'cut'],
    ['a limit that lasts', githubError(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0' })],
    ['a wait that is longer than the time', githubError(429, 'slow down', { 'retry-after': '60' })],
    ['a missing permission', githubError(403, 'Resource not accessible by integration')],
    ['what is not there', githubError(404, 'Not Found')],
    ['a method that is not there', githubError(501, 'Not Implemented')],
  ] as const)('is not retried if it is not idempotent and GitHub answers with %s', async (_what, reply) => {
    const { server } = await asked(post, reply, fine);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['429', githubError(429, 'slow down', { 'retry-after': '2' })],
    ['403', githubError(403, 'slow down', { 'retry-after': '2' })],
    ['503', githubError(503, 'later', { 'retry-after': '2' })],
  ])(
    'is asked again as soon as GitHub allows, where GitHub answers that it did nothing: %s',
    async (_status, reply) => {
      const { answer, clock } = await asked(post, reply, fine);
      expect(answer).toEqual({ body: { is: 'fine' } });
      expect(clock.waits).toEqual([2000]);
    },
  );

  it('is retried in any case if it never reached GitHub', async () => {
    const clock = instantClock({ maximumWait: 15_000 });
    const apiUrl = `http://127.0.0.1:${await closedPort()}`;
    const api = connectGitHubApi({ ...access, apiUrl, transport: transportOf(), log: collectingLog(), clock });
    await expect(api.ask(post)).resolves.toMatchObject({
      refusal: { status: undefined, what: expect.stringMatching(/ECONNREFUSED.*after 3 attempts/u) },
    });
    expect(clock.waits).toEqual([500, 1000]);
  });

  it('goes beside the REST API of GHES if it is GraphQL', async () => {
    const server = keep(await startGitHub({ '/api/graphql': fine, '/graphql': fine }));
    const graphql: GitHubApiRequest = { route: 'POST /graphql', parameters: { query: '{}' }, repeatable: true };
    for (const base of ['/api/v3', '']) {
      const api = connectGitHubApi({
        ...access,
        apiUrl: server.url + base,
        transport: transportOf(),
        log: collectingLog(),
      });
      await expect(api.ask(graphql)).resolves.toEqual({ body: { is: 'fine' } });
    }
    expect(server.requests.map(({ url }) => url)).toEqual(['/api/graphql', '/graphql']);
  });

  it('accepts an answer without a body', async () => {
    const { answer, server } = await asked({ route: 'DELETE /thing', parameters: {} }, { status: 204, body: '' });
    expect(answer).not.toHaveProperty('refusal');
    expect(server.requests).toMatchObject([{ body: '' }]);
  });

  it('follows redirects if a repository was renamed', async () => {
    const { answer, server } = await asked(get, redirect(301, '/repositories/7'), redirect(307, '/8'), fine);
    expect(answer).toEqual({ body: { is: 'fine' } });
    expect(server.requests.map(({ url }) => url)).toEqual(['/thing', '/repositories/7', '/8']);
  });

  it('does not send the token to another origin', async () => {
    const elsewhere = keep(await startGitHub({ '/': fine }));
    await expect(asked(get, redirect(302, elsewhere.url))).resolves.toMatchObject({ answer: { body: '' } });
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([
    ['does not turn a write into a GET', post, 1],
    ['does not follow redirects endlessly', get, 4],
  ])('%s', async (_what, question, requests) => {
    const { server } = await asked(question, redirect(302, '/again'));
    expect(server.requests).toHaveLength(requests);
  });
});
