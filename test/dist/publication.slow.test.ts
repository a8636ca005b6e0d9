import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { pushEvent, shas, workflowRunEvent } from '../support/events.ts';
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

  it('is not written, without a warning, if the event is about no pull request', async () => {
    const request = await open();
    const variables = { GITHUB_EVENT_NAME: 'push', GITHUB_HEAD_REF: undefined };
    const result = await request.step(gate(), variables, { event: pushEvent() });
    expect(result.exitCode).toBe(0);
    expect(request.repository.comments).toEqual([]);
    expect(commandsNamed(result.log, 'warning')).toEqual([]);
    expect(result.log).toContain('so no comment was written');
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
});

describe('where GitHub does not take it', () => {
  async function warnings(
    fault: (request: { method: string; url: string }) => GitHubReply | undefined,
  ): Promise<readonly string[]> {
    const request = await open({ fault });
    const result = await request.step(gate(both));
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant', compliant: 'true' } });
    expect(shownLines(result.log).join('\n')).not.toContain(githubToken);
    const said = commandsNamed(result.log, 'warning').map(({ message }) => message);
    return [...said].sort().reverse();
  }

  it('names the missing permissions, and keeps the verdict', async () => {
    const readOnly = githubError(403, 'Resource not accessible by integration');
    expect(await warnings(({ method }) => (method === 'GET' ? undefined : readOnly))).toEqual([
      expect.stringMatching(
        /^`pull-request-comment`: .*403: Resource not .*Add `pull-requests: write` to.*verdict is not affected/u,
      ),
      expect.stringMatching(
        /^`commit-status`: .*403: Resource not .*Add `statuses: write` to.*verdict is not affected/u,
      ),
    ]);
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
});
