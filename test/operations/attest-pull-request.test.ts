import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Transport } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/undici-transport.ts';
import type { OperationResult } from '../../src/operations/operation.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { isMapping, listAt, type Mapping, valueAt } from '../../src/runtime/untrusted-data.ts';
import { type OperationRun, runOperation } from '../../src/step/run/run-operation.ts';
import { pushEvent, shas } from '../support/events.ts';
import { failureOf } from '../support/failures.ts';
import { apiCommit, type FakeGitHub, githubError, type GitHubReply, startGitHub } from '../support/fake-github.ts';
import type { CollectingLog } from '../support/log.ts';
import { reportTables } from '../support/perform-operation.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call } from '../support/service-call.ts';
import { saveFlow } from '../support/service-samples.ts';
import { openTestStep } from '../support/test-step.ts';

const pulls = `/api/v3/repos/acme/widgets/commits/${shas.head}/pulls?per_page=100&page=1`;
const reviews = '/api/v3/repos/acme/widgets/pulls/12/reviews?per_page=100&page=1';
const commits = '/api/v3/repos/acme/widgets/pulls/12/commits?per_page=100&page=1';

const accessOf = (login: string): string => `/api/v3/repos/acme/widgets/collaborators/${login}/permission`;

const merged = {
  number: 12,
  state: 'closed',
  title: 'Add a lid',
  html_url: 'https://github.com/acme/widgets/pull/12',
  user: { login: 'ann' },
  created_at: '2026-01-01T00:00:00Z',
  merged_at: '2026-01-03T00:00:00Z',
  merge_commit_sha: shas.merge,
  head: { ref: 'lid', sha: shas.head },
  base: { ref: 'main', repo: { full_name: 'acme/widgets' } },
};

const ok = (body: unknown): GitHubReply => ({ status: 200, body });
const review = (login: string, state = 'APPROVED'): Mapping => ({
  user: { login, type: 'User' },
  state,
  submitted_at: '2026-01-02T03:04:05Z',
});

let service: TestService;
let github: FakeGitHub | undefined;
const transport = createTransport({});
beforeAll(async () => {
  service = await startTestService();
  await saveFlow(service, { name: 'web' });
});
afterEach(async () => {
  await github?.close();
});
afterAll(async () => {
  await transport.close();
  await service.stop();
});

async function attest(
  replies: Readonly<Record<string, GitHubReply>>,
  { inputs = {}, event = pushEvent() }: { inputs?: Readonly<Record<string, string>>; event?: Mapping } = {},
): Promise<OperationResult> {
  return (await attestWith(transport, replies, inputs, event)).result;
}

async function attestWith(
  network: Transport,
  replies: Readonly<Record<string, GitHubReply>>,
  inputs: Readonly<Record<string, string>>,
  event: Mapping = pushEvent(),
): Promise<OperationRun & { readonly log: CollectingLog }> {
  github = await startGitHub(replies);
  const { context, log } = openTestStep({
    inputs: {
      operation: 'attest-pull-request',
      'base-url': service.baseUrl,
      'api-token': service.apiKey,
      'github-token': 'ghs_0123456789abcdef',
      org: service.org,
      flow: 'web',
      ...inputs,
    },
    transport: network,
    event,
  });
  const job = { ...context.job, apiUrl: `${github.url}/api/v3` };
  const run = await runOperation({ ...context, job, clock: systemClock });
  expect(github.breaches).toEqual([]);
  return { ...run, log };
}

/** The network of a service that takes rules for any other data, and so records each pull request as compliant. */
const withoutRules: Transport = {
  ...transport,
  async send(request, signal) {
    const answer = await transport.send(request, signal);
    if (request.method !== 'GET' || !request.url.pathname.includes('/trail/')) return answer;
    const found: unknown = JSON.parse(answer.text);
    const judged = listAt(found).map((record) => ({
      ...(isMapping(record) ? record : {}),
      is_compliant: true,
      reasons: [],
    }));
    return { ...answer, text: JSON.stringify(judged) };
  },
};

/** What was recorded last. */
async function latestRecord(): Promise<unknown> {
  const { body } = await call(service, { path: `/attestations/${service.org}/web` });
  return listAt(body, 'data')[0];
}

const approved = {
  [pulls]: ok([merged]),
  [reviews]: ok([review('ann'), review('bob')]),
  [commits]: ok([apiCommit(shas.head)]),
  [accessOf('bob')]: ok({ permission: 'write', role_name: 'maintain' }),
};

describe('attest-pull-request', () => {
  it('records the pull request of the commit with its approvals and commits', async () => {
    const result = await attest(approved, { inputs: { 'minimum-approvals': '1', 'attestation-name': 'reviews' } });
    expect(result).toMatchObject({
      outcome: 'compliant',
      htmlUrl: merged.html_url,
      conclusion: `reviews is compliant: the commit belongs to ${merged.html_url}, with 1 approval. Recorded as reviews in flow web, for commit ${shas.head.slice(0, 12)}.`,
    });
    expect(reportTables(result)).toEqual({ 'Pull requests (1)': [['#12', 'Add a lid', 'MERGED', 'ann', 'bob']] });
    expect(await latestRecord()).toMatchObject({
      attestation_name: 'reviews',
      attestation_type: 'pull_request',
      is_compliant: true,
      html_url: result.attestationUrl,
    });
  });

  it('fails the step if others than the authors gave too few approvals, after it recorded the evidence', async () => {
    const result = await attest(approved, { inputs: { 'minimum-approvals': '2' } });
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringContaining(
        'pull-request is NON-COMPLIANT: 1 approval; at least 2 are required. Recorded as pull-request in flow web',
      ),
    });
  });

  it('does not count approvals of people without write access, and records them', async () => {
    const replies = { ...approved, [accessOf('bob')]: ok({ permission: 'read', role_name: 'triage' }) };
    const result = await attest(replies, { inputs: { 'minimum-approvals': '1' } });
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringContaining(
        'pull-request is NON-COMPLIANT: 0 approvals; at least 1 is required. Approvals by bob do not count, because they have no write access. Recorded',
      ),
    });
    expect(reportTables(result)).toMatchObject({ 'Pull requests (1)': [['#12', 'Add a lid', 'MERGED', 'ann', 'bob']] });
  });

  it('does not count approvals if GitHub does not say who has write access', async () => {
    const replies = { ...approved, [accessOf('bob')]: githubError(403, 'Resource not accessible by integration') };
    const result = await attest(replies, { inputs: { 'minimum-approvals': '1' } });
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringMatching(
        /Approvals by bob do not count, because GitHub's API did not say whether they have write access: it answered 403: Resource not accessible.*; the token needs the repository permission `metadata: read`/u,
      ),
    });
  });

  it('does not count approvals if GitHub may not list all commits, and so not all authors', async () => {
    const pages = [100, 100, 50].map((size, index) => {
      const page = Array.from({ length: size }, (_, each) =>
        apiCommit((index * 100 + each + 1).toString(16).padStart(40, 'e')),
      );
      return [commits.replace(/page=1$/u, `page=${index + 1}`), ok(page)] as const;
    });
    const { result, log } = await attestWith(
      transport,
      { ...approved, ...Object.fromEntries(pages) },
      { 'minimum-approvals': '1' },
    );
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringContaining('0 approvals; at least 1 is required'),
    });
    expect(log.warnings).toEqual([
      expect.stringContaining(
        'Approvals of pull request 12 do not count, because GitHub lists only its first 250 commits',
      ),
    ]);
  });

  it('asks for write access and records a rule only if approvals are required', async () => {
    await attest(approved);
    expect(github?.requests.map(({ url }) => url)).not.toContain(accessOf('bob'));
    const record = await latestRecord();
    expect(record).toMatchObject({ is_compliant: true });
    expect(valueAt(record, 'user_data')).not.toHaveProperty('rule');
  });

  it.each([
    ['1', true],
    ['2', false],
  ])('records the rule that %s approvals are required, by which the service judges', async (minimum, isCompliant) => {
    // A name of its own, so that no other test has recorded the same before.
    await attest(approved, { inputs: { 'minimum-approvals': minimum, 'attestation-name': `rule-${minimum}` } });
    expect(await latestRecord()).toMatchObject({
      is_compliant: isCompliant,
      user_data: { rule: { minimum_approvals: Number(minimum), approvals: 1 } },
    });
  });

  it('lets nobody else set the rule', async () => {
    const own = { 'user-data': '{"rule":{"minimum_approvals":0,"approvals":9}}' };
    const failure = await failureOf(attest(approved, { inputs: own }));
    expect(failure.message).toContain('`user-data` has the key rule, which the action itself sets');
  });

  it('stays red if the service judges by no rule, and says so', async () => {
    const { result, log } = await attestWith(withoutRules, approved, { 'minimum-approvals': '2' });
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringMatching(
        /^pull-request is NON-COMPLIANT: 1 approval; at least 2 are required\. The record says compliant\. /u,
      ),
    });
    expect(log.warnings).toEqual([
      expect.stringContaining('The record says compliant. This step finds it non-compliant'),
    ]);
  });

  it('is non-compliant without a pull request, and does not count one that was closed', async () => {
    for (const listed of [[], [{ ...merged, merged_at: null }]]) {
      const result = await attest({ [pulls]: ok(listed) });
      expect(result).toMatchObject({
        outcome: 'non-compliant',
        conclusion: expect.stringContaining('the commit belongs to no pull request'),
      });
      await github?.close();
    }
  });

  it("takes a merge group's pull request from the name of its branch", async () => {
    const event = {
      ...pushEvent(),
      merge_group: { head_sha: shas.head, head_ref: `refs/heads/gh-readonly-queue/main/pr-12-${shas.base}` },
    };
    const open = { ...merged, state: 'open', merged_at: null };
    const one = '/api/v3/repos/acme/widgets/pulls/12';
    const result = await attest({ ...approved, [pulls]: ok([]), [one]: ok(open) }, { event });
    expect(reportTables(result)).toMatchObject({ 'Pull requests (1)': [['#12', 'Add a lid', 'OPEN', 'ann', 'bob']] });
  });

  it('names the permissions if GitHub refuses', async () => {
    const refused = githubError(403, 'Resource not accessible by integration');
    const failure = await failureOf(attest({ ...approved, [reviews]: refused }));
    expect(failure.message).toContain("GitHub's API did not return the reviews of pull request 12: it answered 403");
    expect(failure.remedy).toContain('`permissions: { contents: read, pull-requests: read }`');
  });

  it('needs a token', async () => {
    const failure = await failureOf(attest(approved, { inputs: { 'github-token': '' } }));
    expect(failure).toMatchObject({ problems: [{ input: 'github-token' }] });
  });
});
