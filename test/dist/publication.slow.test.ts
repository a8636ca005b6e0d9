import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import {
  issueCommentEvent,
  mergeGroupEvent,
  pullRequestEvent,
  pushEvent,
  shas,
  workflowRunEvent,
} from '../support/events.ts';
import { githubError, type GitHubReply } from '../support/fake-github.ts';
import { jobsBot } from '../support/fake-github-repository.ts';
import { neverAnswers } from '../support/faults.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { itWithSignals } from '../support/platform.ts';
import { startProxy } from '../support/proxy-server.ts';
import { githubToken, openPullRequest, type PullRequestJob } from '../support/pull-request-job.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();
let flow: string;
const compliant = randomBytes(32).toString('hex');
const runUrl = 'https://github.com/acme/widgets/actions/runs/4242/attempts/2';
const keep = closeAfterEach();

beforeAll(async () => {
  flow = await job.flow('artifact');
  await job.report(flow, { fingerprint: compliant });
});

async function open(...settings: Parameters<typeof openPullRequest> extends [unknown, ...infer Rest] ? Rest : never) {
  return keep(await openPullRequest(job, ...settings));
}

function gate(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { operation: 'get-artifact', flow, fingerprint: compliant, 'pull-request-comment': 'true', ...more };
}

const both = { 'pull-request-comment': 'true', 'commit-status': 'compliance/web' };

function expectRightForm({ github }: PullRequestJob): void {
  expect(github.breaches).toEqual([]);
}

describe('a comment on the pull request', () => {
  it('shows the verdict, the judged commit and the run, and is updated by the next run', async () => {
    const request = await open();
    const first = await request.step(gate());
    expect(first).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant' } });
    const [comment] = request.repository.comments;
    expect(comment).toMatchObject({ pullRequest: 12, author: jobsBot });
    expect(comment?.body).toMatch(/<h2>✅ Compliant: <a [^>]*>Artifact web\.tgz/u);
    expect(comment?.body).toContain(`https://github.com/acme/widgets/commit/${shas.head}`);
    expect(comment?.body).toContain(`<a href="${runUrl}">`);
    expect(first.log).toContain('The comment on pull request 12 was created: https://github.com/acme/widgets/pull/12');

    const unknown = await request.step(gate({ flow, fingerprint: 'f'.repeat(64) }), { GITHUB_RUN_ID: '4243' });
    expect(unknown.exitCode).toBe(1);
    expect(request.repository.comments).toHaveLength(1);
    expect(comment?.body).toContain('<h2>⏳ Incomplete: Artifact ffffffffffff</h2>');
    expect(unknown.log).toContain('The comment on pull request 12 was updated');
    expect(commandsNamed(unknown.log, 'error')).toHaveLength(1);
    expectRightForm(request);
  });

  it('goes through the proxy of the environment, as everything else does', async () => {
    const request = await open();
    const proxy = keep(await startProxy());
    const result = await request.step(gate(), { HTTP_PROXY: proxy.url.href, http_proxy: proxy.url.href, NO_PROXY: '' });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(request.repository.comments).toHaveLength(1);
    const asked = proxy.requests.map(({ target }) => new URL(target).origin);
    expect(asked.filter((origin) => origin === request.github.url)).toHaveLength(request.github.requests.length);
    expectRightForm(request);
  });

  it('is one for each job of a matrix that has a flow of its own', async () => {
    const request = await open();
    const other = await job.flow('artifact');
    const jobs = [gate(), gate({ flow: other })];
    await Promise.all(jobs.map((inputs) => request.step(inputs)));
    expect(request.repository.comments).toHaveLength(2);
    await Promise.all(jobs.map((inputs) => request.step(inputs, { GITHUB_RUN_ID: '4243' })));
    expect(request.repository.comments).toHaveLength(2);
    for (const { body } of request.repository.comments) expect(body).toContain('id=4243');
    const flows = request.repository.comments.map(({ body }) => / flow=(\S+)/u.exec(body)?.[1]);
    expect(flows.sort()).toEqual([flow, other].map((name) => name.replaceAll('-', '%2D')).sort());
  });

  it('is one for each job of a matrix, though they differ in nothing else', async () => {
    const request = await open();
    const values = ['web', 'api'].map((service) => JSON.stringify({ service, os: { name: 'linux' } }, undefined, 2));
    const jobs = [...values, 'null'].map((matrix) => gate({ matrix }));
    for (const run of ['4242', '4243']) {
      const results = await Promise.all(jobs.map((inputs) => request.step(inputs, { GITHUB_RUN_ID: run })));
      for (const { log } of results) expect(commandsNamed(log, 'warning')).toEqual([]);
      expect(request.repository.comments).toHaveLength(3);
    }
    for (const { body } of request.repository.comments) expect(body).toContain('id=4243');
    expectRightForm(request);
  });

  it('is found behind hundreds of others, and is never that of a stranger', async () => {
    const request = await open();
    await request.step(gate());
    const own = request.repository.comments.pop();
    if (own === undefined) throw new Error('there is no comment');
    for (let count = 0; count < 250; count += 1) request.repository.comment('ann', `Comment ${count}`);
    const forged = request.repository.comment('mallory', own.body);
    const quoted = request.repository.comment(jobsBot, `> ${own.body}`);
    request.repository.comments.push(own);
    const before = own.body;
    await request.step(gate(), { GITHUB_RUN_ID: '4243' });
    expect(request.repository.comments).toHaveLength(253);
    expect(own.body).not.toBe(before);
    expect(forged.body).toBe(before);
    expect(quoted.body).toBe(`> ${before}`);
  });

  it('is written where only a stranger has one with its mark', async () => {
    const request = await open();
    await request.step(gate());
    const own = request.repository.comments.pop();
    request.repository.comment('mallory', own?.body ?? '');
    await request.step(gate());
    expect(request.repository.comments.map(({ author }) => author)).toEqual(['mallory', jobsBot]);
  });

  it('of a newer run is not overwritten by an old one that is about another commit', async () => {
    const request = await open();
    await request.step(gate(), { GITHUB_RUN_ID: '4243' });
    const [comment] = request.repository.comments;
    const newer = comment?.body;
    const late = await request.step(gate({ 'commit-sha': shas.base }));
    expect(comment?.body).toBe(newer);
    expect(late).toMatchObject({ exitCode: 0 });
    expect(late.log).toContain('was left unchanged: a newer run has judged another commit');
    await request.step(gate());
    expect(comment?.body).toContain('id=4242');
  });

  it.each([
    ['issue_comment', issueCommentEvent('pull request'), 1],
    ['issue_comment', issueCommentEvent('issue'), 0],
    ['push', pushEvent(), 0],
    ['merge_group', mergeGroupEvent(), 0],
    ['workflow_run', workflowRunEvent({ pull_requests: [{ number: 12, base: { repo: { id: 99001 } } }] }), 1],
    ['workflow_run', workflowRunEvent({ event: 'push' }), 0],
  ])('on %s is written only if the event is about one pull request', async (name, event, count) => {
    const request = await open();
    const result = await request.step(gate(), { GITHUB_EVENT_NAME: name, GITHUB_HEAD_REF: undefined }, { event });
    expect(result.exitCode).toBe(0);
    expect(request.repository.comments).toHaveLength(count);
    expect(commandsNamed(result.log, 'warning')).toEqual([]);
    if (count === 0) expect(result.log).toContain('so no comment was written');
  });

  it('finds the pull request of a fork by its head, where `workflow_run` names none', async () => {
    const head = { ref: 'feature/lid', sha: shas.head, user: { login: 'forker' } };
    const request = await open({
      pullRequests: [
        { number: 12, head },
        { number: 13, head: { ...head, sha: shas.base } },
      ],
    });
    const event = workflowRunEvent({ head_repository: { full_name: 'forker/widgets', owner: { login: 'forker' } } });
    const result = await request.step(gate(), { GITHUB_EVENT_NAME: 'workflow_run' }, { event });
    expect(result.exitCode).toBe(0);
    expect(request.repository.comments).toMatchObject([{ pullRequest: 12 }]);
    expectRightForm(request);
  });
});

describe('a commit status', () => {
  it('is set on the head of the pull request, with the page of the artifact', async () => {
    const request = await open();
    const result = await request.step(gate({ 'pull-request-comment': 'false', 'commit-status': 'compliance/web' }));
    expect(request.repository.statuses).toEqual([
      {
        sha: shas.head,
        state: 'success',
        context: 'compliance/web',
        description: expect.stringMatching(/^Artifact web\.tgz .* is COMPLIANT/u),
        targetUrl: result.outputs['html-url'],
      },
    ]);
    expect(request.repository.comments).toEqual([]);
    expect(request.github.requests).toHaveLength(1);
    expectRightForm(request);
  });

  it('is set on the commit in `commit-sha`, which is no unused input then', async () => {
    const request = await open();
    const fingerprint = randomBytes(32).toString('hex');
    await job.report(flow, { fingerprint, trail: shas.base, commit: shas.base });
    const inputs = gate({ fingerprint, 'commit-status': 'compliance/web', 'commit-sha': shas.base });
    const result = await request.step(inputs);
    expect(request.repository.statuses).toMatchObject([{ sha: shas.base, state: 'success' }]);
    expect(commandsNamed(result.log, 'warning')).toEqual([]);
  });

  it('is pending while the verdict is waited for', async () => {
    const request = await open();
    await request.step(gate({ 'commit-status': 'compliance/web', wait: '600' }));
    expect(request.repository.statuses.map(({ state, targetUrl }) => [state, targetUrl === runUrl])).toEqual([
      ['pending', true],
      ['success', false],
    ]);
    expectRightForm(request);
  });

  it('is pending in a dry run, and the comment is not written', async () => {
    const request = await open();
    const result = await request.step(gate({ ...both, 'dry-run': 'true', wait: '600' }));
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'skipped' } });
    expect(request.repository.statuses).toMatchObject([{ sha: shas.head, state: 'pending' }]);
    expect(request.repository.comments).toEqual([]);
    expect(result.log).toContain('`pull-request-comment`: not written, because this is a dry run');
    expectRightForm(request);
  });

  it('is not requested for an invalid commit: the step says so and fails', async () => {
    const request = await open();
    const result = await request.step(gate({ 'commit-status': 'compliance/web', 'commit-sha': 'a..b' }));
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'error' } });
    expect(commandsNamed(result.log, 'error')[0]?.message).toContain('does not name a commit');
  });

  it('is an error if the step failed, with a link to the run', async () => {
    const request = await open();
    const result = await request.step({ ...gate(both), flow: 'pr/12' });
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'error' } });
    expect(request.repository.statuses).toMatchObject([{ sha: shas.head, state: 'error', targetUrl: runUrl }]);
    expect(request.repository.comments[0]?.body).toContain('⛔ Error');
    expectRightForm(request);
  });

  itWithSignals('is an error if the job was cancelled meanwhile', async () => {
    const request = await open();
    const server = keep(await startFaultyServer(neverAnswers));
    const inputs = gate({ ...both, 'base-url': server.url.href, timeout: '3600' });
    const kill = { when: '::group::Look up artifacts', signal: 'SIGTERM' } as const;
    expect(await request.step(inputs, {}, { kill })).toMatchObject({ exitCode: 1, errorLog: '' });
    expect(request.repository.statuses).toMatchObject([
      { state: 'error', description: expect.stringContaining('cancelled') },
    ]);
    expect(request.repository.comments[0]?.body).toContain('the step was cancelled (SIGTERM)');
  });

  it('fails with an incomplete artifact, and is pending if the step does not fail', async () => {
    const request = await open();
    const incomplete = await job.flow('artifact', 'sonar');
    await job.report(incomplete, { fingerprint: compliant });
    await request.step(gate({ ...both, flow: incomplete }));
    await request.step(gate({ ...both, flow: incomplete, 'on-non-compliant': 'warn' }));
    expect(request.repository.statuses.map(({ state }) => state)).toEqual(['failure', 'pending']);
  });
});

describe('GitHub Enterprise Server', () => {
  it('is asked below its base path', async () => {
    const request = await open({ basePath: '/api/v3' });
    const variables = { GITHUB_SERVER_URL: 'https://ghes.example.com' };
    for (const run of ['4242', '4243']) await request.step(gate(both), { ...variables, GITHUB_RUN_ID: run });
    expect(request.repository.comments).toHaveLength(1);
    expect(request.repository.comments[0]?.body).toContain('https://ghes.example.com/acme/widgets/actions/runs/4243');
    expect(request.repository.statuses).toHaveLength(2);
    expect(request.github.requests.map(({ url }) => url)).toContain('/api/graphql');
    expectRightForm(request);
  });
});

describe('where GitHub does not take it', () => {
  const readOnly = githubError(403, 'Resource not accessible by integration');
  const refuseWrites = ({ method }: { method: string }): GitHubReply | undefined =>
    method === 'GET' ? undefined : readOnly;

  async function warnings(
    fault: (request: { method: string; url: string }) => GitHubReply | undefined,
    variables: Readonly<Record<string, string>> = {},
    event?: unknown,
  ): Promise<readonly string[]> {
    const request = await open({ fault });
    const result = await request.step(gate(both), variables, event === undefined ? {} : { event });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant', compliant: 'true' } });
    expect(shownLines(result.log).join('\n')).not.toContain(githubToken);
    const said = commandsNamed(result.log, 'warning').map(({ message }) => message);
    return [...said].sort().reverse();
  }

  it('names the missing permissions, and keeps the verdict', async () => {
    expect(await warnings(refuseWrites)).toEqual([
      expect.stringMatching(
        /^`pull-request-comment`: .*403: Resource not .*Add `pull-requests: write` to.*verdict is not affected/u,
      ),
      expect.stringMatching(
        /^`commit-status`: .*403: Resource not .*Add `statuses: write` to.*verdict is not affected/u,
      ),
    ]);
  });

  it('says that the token of a fork may only read', async () => {
    const said = await warnings(refuseWrites, {}, pullRequestEvent({ fork: true }));
    expect(said).toEqual([
      expect.stringContaining('from a fork is read-only'),
      expect.stringContaining('workflow_run'),
    ]);
  });

  it('says that the token of Dependabot needs the permission', async () => {
    const said = await warnings(refuseWrites, { GITHUB_ACTOR: 'dependabot[bot]' });
    expect(said).toEqual([expect.stringContaining('Dependabot'), expect.stringContaining('`statuses: write`')]);
  });

  it('keeps the verdict if the token is not valid', async () => {
    const said = await warnings(() => githubError(401, 'Bad credentials'));
    expect(said).toEqual([expect.stringContaining('401: Bad credentials'), expect.stringContaining('github-token')]);
  });

  it('tries a comment that GitHub may have taken only once in an outage, and a status again', async () => {
    let posts = 0;
    const said = await warnings(({ method, url }) => {
      if (method === 'GET') return undefined;
      if (url.endsWith('/comments')) posts += 1;
      return githubError(502, 'Server Error');
    });
    expect(posts).toBe(1);
    expect(said).toEqual([
      expect.stringMatching(/^`pull-request-comment`: .*502: Server Error/u),
      expect.stringMatching(/^`commit-status`: .*502: Server Error.*after 3 attempts.*githubstatus/u),
    ]);
  });

  it('gets through where GitHub is down for a moment', async () => {
    const seen = new Set<string>();
    const said = await warnings(({ method, url }) => {
      const first = !seen.has(url) && (method === 'GET' || url.includes('/statuses/'));
      seen.add(url);
      return first ? githubError(503, 'Unavailable') : undefined;
    });
    expect(said).toEqual([]);
  });

  it('says what is missing if there is no token', async () => {
    const request = await open();
    const result = await request.step(gate({ ...both, 'github-token': '' }));
    expect(result.exitCode).toBe(0);
    expect(commandsNamed(result.log, 'warning').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^`pull-request-comment`: .*`github-token` is empty/u),
      expect.stringMatching(/^`commit-status`: .*`github-token` is empty/u),
    ]);
    expect(request.github.requests).toEqual([]);
  });
});
