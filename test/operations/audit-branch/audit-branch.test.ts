import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTransport } from '../../../src/http/undici-transport.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import type { Mapping } from '../../../src/runtime/untrusted-data.ts';
import { runOperation } from '../../../src/step/run/run-operation.ts';
import { pushEvent, scheduleEvent } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import { type FakeGitHub, githubError, type GitHubSettings, startGitHub } from '../../support/fake-github.ts';
import { githubRepository, type HistoryCommit } from '../../support/fake-github-repository.ts';
import { reportFacts, reportTables } from '../../support/perform-operation.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';
import { openTestStep } from '../../support/test-step.ts';

const sha = (digit: string): string => digit.repeat(40);
const commitsUrl = 'https://github.com/acme/widgets/commit';

let service: TestService;
let github: FakeGitHub | undefined;
const transport = createTransport({});

beforeAll(async () => {
  service = await startTestService();
  await saveFlow(service, { name: 'empty' });
});
afterEach(async () => {
  await github?.close();
});
afterAll(async () => {
  await transport.close();
  await service.stop();
});

/** Creates a flow whose trails need a scan, and these trails in order: true with a good one, false with a bad one. */
async function flowWith(...trails: readonly (readonly [name: string, compliant: boolean])[]) {
  const flow = `flow-${Math.random().toString(36).slice(2)}`;
  await saveFlow(service, { name: flow, template: [] });
  for (const [name, compliant] of trails) {
    const form = new FormData();
    form.set('data_json', JSON.stringify({ attestation_name: 'scan', is_compliant: compliant }));
    const path = `/attestations/${service.org}/${flow}/trail/${name}/generic`;
    const { status, text } = await call(service, { method: 'POST', path, form });
    if (status !== 201) throw new Error(text);
  }
  return flow;
}

const pullRequest = (number: number, head: string, changes: Mapping = {}): Mapping => ({
  number,
  state: 'closed',
  html_url: `https://github.com/acme/widgets/pull/${number}`,
  merged_at: '2026-01-03T00:00:00Z',
  head: { ref: 'lid', sha: head },
  base: { ref: 'main', repo: { full_name: 'acme/widgets' } },
  ...changes,
});

async function audit(
  history: readonly HistoryCommit[],
  inputs: Readonly<Record<string, string>>,
  { event = pushEvent(), eventName, ...settings }: GitHubSettings & { event?: Mapping; eventName?: string } = {},
): Promise<OperationResult> {
  const repository = githubRepository({ history });
  github = await startGitHub({}, { repository, ...settings });
  const { context } = openTestStep({
    inputs: {
      operation: 'audit-branch',
      'base-url': service.baseUrl,
      'api-token': service.apiKey,
      'github-token': 'ghs_0123456789abcdef',
      org: service.org,
      ...inputs,
    },
    transport,
    event,
  });
  const job = { ...context.job, apiUrl: github.url, ...(eventName === undefined ? {} : { eventName }) };
  const { result } = await runOperation({ ...context, job, clock: systemClock });
  expect(github.breaches).toEqual([]);
  return result;
}

const asked = (): readonly string[] => github?.requests.map(({ url }) => url.split('?')[0] ?? '') ?? [];
const pulls = (commit: string): string => `/repos/acme/widgets/commits/${commit}/pulls`;

describe('audit-branch', () => {
  it('judges commits by their trails, else by those of their pull requests, back to the first trail', async () => {
    const flow = await flowWith([sha('3'), true], [sha('b'), true], [sha('1'), true]);
    const history = [
      { sha: sha('1'), parents: [sha('2'), sha('9')] },
      { sha: sha('9'), parents: [sha('2')] },
      { sha: sha('2'), pullRequests: [pullRequest(12, sha('b'))] },
      { sha: sha('3') },
      { sha: sha('4') },
    ];
    const result = await audit(history, { flow });
    expect(result).toMatchObject({
      outcome: 'compliant',
      count: 3,
      commits: [sha('1')],
      conclusion: expect.stringMatching(
        /^3 of 3 commits of branch main have a compliant trail in flow .*current template/u,
      ),
      response: {
        first_trail: sha('3'),
        commits: [
          { sha: sha('1'), is_trail_of_pull_request: false },
          { sha: sha('2'), trail: sha('b'), is_trail_of_pull_request: true },
          { sha: sha('3') },
        ],
      },
    });
    expect(asked()).toEqual(['/repos/acme/widgets/branches/main', '/repos/acme/widgets/commits', pulls(sha('2'))]);
    expect(reportTables(result)['Commits (3)']?.[1]).toEqual([
      ...[sha('2').slice(0, 12), 'ann', '#12', `${sha('b').slice(0, 12)} (head of the pull request)`, '✅ COMPLIANT'],
    ]);
  });

  it('is red for each commit without a compliant trail, with author, pull request and reason', async () => {
    const flow = await flowWith([sha('4'), true], [sha('b'), true], [sha('c'), false], [sha('2'), false]);
    const history = [
      { sha: sha('1'), author: 'bob', pullRequests: [pullRequest(7, sha('d'), { base: { ref: 'other' } })] },
      { sha: sha('2'), pullRequests: [pullRequest(12, sha('b'))] },
      { sha: sha('3'), pullRequests: [pullRequest(13, sha('c'))] },
      { sha: sha('5'), pullRequests: [pullRequest(14, sha('e'))] },
      { sha: sha('4') },
    ];
    const { outcome, count, report } = await audit(history, { flow });
    expect([outcome, count]).toEqual(['non-compliant', 5]);
    expect(report.reasons).toMatchObject([
      {
        about: '222222222222 by ann (pull request 12)',
        value: expect.stringMatching(/^its trail is NON-COMPLIANT: scan/u),
      },
      {
        about: '333333333333 by ann (pull request 13)',
        value: expect.stringMatching(/^trail c{12} of the pull request's head is NON-COMPLIANT: scan/u),
      },
      {
        state: 'missing',
        about: '111111111111 by bob',
        value: 'it has no trail, and GitHub names no pull request of it that was merged into main',
        html_url: `${commitsUrl}/${sha('1')}`,
      },
      { value: 'neither the commit nor the head of pull request 14 has a trail' },
    ]);
  });

  it('leaves out what came before the first trail, unless there are earlier trails', async () => {
    const history = [
      { sha: sha('1'), pullRequests: [] },
      { sha: sha('2') },
      { sha: sha('3'), pullRequests: [] },
      { sha: sha('4') },
    ];
    const flow = await flowWith(['elsewhere', true], [sha('2'), true], [sha('1'), true]);
    const whole = await audit(history, { flow });
    expect(whole).toMatchObject({ outcome: 'compliant', count: 2 });
    expect(reportFacts(whole)).toMatchObject({ 'Before the first trail': '2 commits, not judged' });
    await github?.close();
    expect(await audit(history, { flow, since: sha('4') })).toMatchObject({ outcome: 'non-compliant', count: 3 });
    await github?.close();
    expect(await audit(history, { flow, since: '2020-01-01' })).toMatchObject({
      outcome: 'compliant',
      count: 2,
      conclusion: expect.stringContaining('2 commits of branch main since 2020-01-01T00:00:00Z have'),
    });
  });

  it('is incomplete if there is nothing to judge, and says so', async () => {
    const history = [{ sha: sha('1') }];
    expect(await audit(history, { flow: 'empty' })).toMatchObject({
      outcome: 'incomplete',
      conclusion: expect.stringContaining('flow empty: it has no trails yet'),
    });
    await github?.close();
    const flow = await flowWith([sha('1'), true]);
    for (const since of [sha('1'), '2999-01-01']) {
      expect(await audit(history, { flow, since })).toMatchObject({
        outcome: 'incomplete',
        count: 0,
        conclusion: expect.stringContaining('it has no commits since then, so nothing was judged'),
      });
      await github?.close();
    }
  });

  it.each([
    ['the token may not read pull requests', 403, {}, 'user', 'pull-requests: read'],
    ['GitHub limits the requests', 403, { 'x-ratelimit-remaining': '0' }, 'external', 'Run the job again'],
    ['GitHub is down', 501, {}, 'external', 'Run the job again'],
  ])('is an error if %s', async (_what, status, headers, kind, remedy) => {
    const flow = await flowWith([sha('2'), true]);
    const failing = audit(
      [{ sha: sha('1') }, { sha: sha('2') }],
      { flow },
      {
        fault: ({ url }) => (url.includes('/pulls') ? githubError(status, 'No', headers) : undefined),
      },
    );
    expect(await failureOf(failing)).toMatchObject({
      kind,
      message: expect.stringContaining(
        `GitHub's API did not return the pull requests of commit ${sha('1')}: it answered ${status}`,
      ),
      remedy: expect.stringContaining(remedy),
    });
  });

  it('audits the default branch, of schedules too, and refuses what it cannot know before it asks', async () => {
    const flow = await flowWith([sha('1'), true]);
    const history = [{ sha: sha('1') }];
    const scheduled = { event: scheduleEvent(), eventName: 'schedule' };
    expect(await audit(history, { flow }, scheduled)).toMatchObject({ outcome: 'compliant' });
    await github?.close();
    expect(await failureOf(audit(history, { flow }, { event: {} }))).toMatchObject({
      message: expect.stringContaining('`branch` is not set'),
    });
    expect(asked()).toEqual([]);
    await github?.close();
    expect(await failureOf(audit(history, { flow, 'github-token': '' }))).toMatchObject({
      message: expect.stringContaining('the step has no token'),
    });
    await github?.close();
    expect(await failureOf(audit(history, { flow, branch: 'a branch', since: 'yesterday' }))).toMatchObject({
      problems: [{ input: 'branch' }, { input: 'since' }],
    });
    await github?.close();
    expect(await failureOf(audit(history, { flow, branch: 'refs/heads/gone' }))).toMatchObject({
      message: expect.stringContaining("GitHub's API did not return the branch gone: it answered 404"),
    });
    await github?.close();
    expect(await failureOf(audit(history, { flow: 'unknown' }))).toMatchObject({ facts: { status: 404 } });
  });
});
