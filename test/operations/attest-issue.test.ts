import { describe, expect, it } from '@jest/globals';
import { jiraAttestation } from '../../src/contract/attestations/jira.ts';
import { TransportError } from '../../src/http/transport.ts';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { pushEvent, shas, webhookCommit } from '../support/events.ts';
import { failureOf } from '../support/failures.ts';
import {
  type PerformedOperation,
  performOperation,
  reportTables,
  type ScriptedAnswer,
  type SeenRequest,
  sentAttestation,
} from '../support/perform-operation.ts';

const jira = 'https://jira.example.com/jira';
const token = 'jira-token-0123456789';
const inJira = { 'jira-base-url': `${jira}/`, 'jira-username': 'ci@example.com', 'jira-api-token': token };
const onGitHub = { 'github-token': 'ghs_0123456789abcdef' };

const ok = (body: unknown): ScriptedAnswer => ({ status: 200, body });
const notFound: ScriptedAnswer = { status: 404, body: { errorMessages: ['Issue Does Not Exist'] } };
const found = (summary: string): ScriptedAnswer => ok({ key: 'X-1', fields: { summary, status: { name: 'Open' } } });

/** Runs the operation for a commit with this message; the answers are those of the tracker, by the end of the path. */
function attest(
  inputs: Readonly<Record<string, string>>,
  message: string,
  answers: Readonly<Record<string, ScriptedAnswer | Error>> = {},
): Promise<PerformedOperation> {
  const event = pushEvent({ after: shas.head, head_commit: webhookCommit(shas.head, { message }), commits: [] });
  const answer = ({ path }: SeenRequest): ScriptedAnswer => {
    if (path.startsWith('/attestations/')) return { status: 201, body: 'OK' };
    const [, reply] = Object.entries(answers).find(([end]) => path.split('?')[0]?.endsWith(end)) ?? [];
    if (reply === undefined) throw new Error(`unexpected request to ${path}`);
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return performOperation('attest-issue', { flow: 'web', retries: '0', ...inputs }, answer, undefined, {
    job: { event },
  });
}

/** The issues in the request. */
function issuesIn(done: PerformedOperation): unknown {
  return valueAt(sentAttestation(jiraAttestation, done), 'jira_results');
}

describe('attest-issue in Jira', () => {
  it('records the issues that the change names, and is compliant if all exist', async () => {
    const answers = { '/issue/WEB-12': found('Add a lid'), '/issue/OPS-3': found('Deploy | it') };
    const done = await attest(inJira, 'WEB-12: add a lid\n\nSee OPS-3, WEB-12; not v1-2, xWEB-1 or WEB-0.', answers);
    expect(done.result).toMatchObject({
      outcome: 'compliant',
      conclusion: `issue is compliant: the change names WEB-12, OPS-3. Recorded as issue in flow web, for commit ${shas.head.slice(0, 12)}.`,
    });
    expect(issuesIn(done)).toEqual([
      {
        issue_id: 'WEB-12',
        issue_url: `${jira}/browse/WEB-12`,
        issue_exists: true,
        issue_fields: { summary: 'Add a lid', status: { name: 'Open' } },
      },
      expect.objectContaining({ issue_id: 'OPS-3', issue_exists: true }),
    ]);
    expect(reportTables(done.result)['Issues (2)']?.[0]).toEqual(['WEB-12', '✅ exists', 'Add a lid', 'Open']);
    expect(done.sent.slice(0, 2)).toEqual([
      `GET ${jira}/rest/api/2/issue/WEB-12?fields=summary,status`,
      `GET ${jira}/rest/api/2/issue/OPS-3?fields=summary,status`,
    ]);
    const basic = `Basic ${Buffer.from(`ci@example.com:${token}`).toString('base64')}`;
    expect(done.requests[0]?.headers['authorization']).toBe(basic);
  });

  it('sends a personal access token as it is', async () => {
    const server = { 'jira-base-url': jira, 'jira-api-token': token };
    const done = await attest(server, 'WEB-1', { '/issue/WEB-1': found('x') });
    expect(done.requests[0]?.headers['authorization']).toBe(`Bearer ${token}`);
  });

  it('is not compliant if an issue does not exist, and Jira knows who asks', async () => {
    const answers = {
      '/issue/WEB-1': found('x'),
      '/issue/WEB-2': notFound,
      '/issue/WEB-3': notFound,
      '/myself': ok({}),
    };
    const done = await attest(inJira, 'WEB-1 WEB-2 WEB-3', answers);
    expect(done.result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringContaining('issue is NON-COMPLIANT: WEB-2, WEB-3 do not exist.'),
    });
    expect(issuesIn(done)).toMatchObject([{ issue_exists: true }, { issue_exists: false }, { issue_exists: false }]);
    expect(done.sent.filter((one) => one.endsWith('/myself'))).toHaveLength(1);
  });

  it('is not compliant if the change names none, and asks nobody', async () => {
    const done = await attest(inJira, 'add a lid');
    expect(done.result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringContaining('names no issue'),
    });
    expect(issuesIn(done)).toEqual([]);
  });

  it('finds what the pattern says', async () => {
    const done = await attest({ ...inJira, 'issue-pattern': String.raw`\[(WEB-\d+)\]` }, '[WEB-1] UTF-8', {
      '/issue/WEB-1': found('x'),
    });
    expect(issuesIn(done)).toMatchObject([{ issue_id: 'WEB-1' }]);
  });

  const html: ScriptedAnswer = { status: 404, body: '<html>', headers: { 'content-type': 'text/html' } };
  it.each<[string, Readonly<Record<string, ScriptedAnswer | Error>>, object]>([
    [
      '401',
      { '/issue/WEB-1': { status: 401, body: { message: 'no' } } },
      { problems: [{ input: 'jira-api-token', what: `Jira at ${jira} answered 401: no` }] },
    ],
    [
      '403',
      { '/issue/WEB-1': { status: 403, body: { errorMessages: ['no'] } } },
      { problems: [{ input: 'jira-api-token' }] },
    ],
    [
      '404 to somebody unknown',
      { '/issue/WEB-1': notFound, '/myself': { status: 401, body: {} } },
      { problems: [{ input: 'jira-api-token' }] },
    ],
    [
      '404 of another server',
      { '/issue/WEB-1': html },
      { problems: [{ input: 'jira-base-url', what: expect.stringContaining('404: an HTML page') }] },
    ],
    [
      'a redirect',
      { '/issue/WEB-1': { status: 302, body: {}, headers: { location: 'https://evil.example/' } } },
      { problems: [{ input: 'jira-base-url' }] },
    ],
    [
      'something else',
      { '/issue/WEB-1': ok({}) },
      { problems: [{ input: 'jira-base-url', what: expect.stringContaining('not an issue') }] },
    ],
    [
      '503',
      { '/issue/WEB-1': { status: 503, body: {} } },
      { kind: 'external', message: `Jira at ${jira} answered 503: no message` },
    ],
    [
      'nothing',
      { '/issue/WEB-1': new TransportError('unreachable', false, 'refused') },
      { kind: 'external', message: expect.stringContaining('refused') },
    ],
  ])('fails if Jira answers %s, and does not say that the issue is missing', async (_what, answers, failure) => {
    const thrown = await failureOf(attest(inJira, 'WEB-1', answers));
    expect(thrown).toMatchObject(failure);
    expect(JSON.stringify([thrown.message, thrown.remedy])).not.toContain(token);
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ 'jira-base-url': jira }, '`jira-base-url` needs `jira-api-token`'],
    [{ 'jira-username': 'ci' }, '`jira-api-token` and `jira-username` need `jira-base-url`'],
    [{ 'issue-pattern': '(' }, 'must be a regular expression'],
    [{ ...inJira, 'jira-base-url': 'https://ci:x@jira.example.com' }, 'must not contain a user name or password'],
    [{}, 'the step has no token or no repository for it'],
  ])('refuses %j', async (inputs, message) => {
    expect((await failureOf(attest(inputs, 'WEB-1'))).message).toContain(message);
  });
});

describe('attest-issue on GitHub', () => {
  const issue = (number: number, more = {}): ScriptedAnswer =>
    ok({
      number,
      title: `Issue ${number}`,
      state: 'open',
      html_url: `https://github.com/acme/widgets/issues/${number}`,
      ...more,
    });
  const missing: ScriptedAnswer = { status: 404, body: { message: 'Not Found' } };

  it('records issues, but not pull requests', async () => {
    const answers = {
      '/repos/acme/widgets/issues/12': issue(12),
      '/repos/acme/widgets/issues/13': issue(13),
      '/repos/acme/other/issues/7': missing,
      '/repos/acme/widgets/issues/45': issue(45, { pull_request: { url: 'x' } }),
    };
    const message = 'Add a lid (#45)\n\nFixes #12, GH-13, #12 and acme/other#7. &#39; color:#12ab34 a#5';
    const done = await attest(onGitHub, message, answers);
    expect(issuesIn(done)).toEqual([
      {
        issue_id: '#12',
        issue_url: 'https://github.com/acme/widgets/issues/12',
        issue_exists: true,
        issue_fields: { summary: 'Issue 12', status: { name: 'open' } },
      },
      expect.objectContaining({ issue_id: '#13' }),
    ]);
    expect(done.log.infos.join('\n')).toContain('#45 is a pull request, not an issue');
    // Another repository's, only if the workflow asks for it.
    const wider = await attest({ ...onGitHub, 'issue-pattern': String.raw`acme/other#\d+` }, message, answers);
    expect(issuesIn(wider)).toEqual([
      { issue_id: 'acme/other#7', issue_url: 'https://github.com/acme/other/issues/7', issue_exists: false },
    ]);
    expect(wider.result.conclusion).toContain('acme/other#7 does not exist');
  });

  it.each<[number, unknown, object]>([
    [401, { message: 'Bad credentials' }, { problems: [{ input: 'github-token' }] }],
    [403, { message: 'Resource not accessible by integration' }, { remedy: expect.stringContaining('issues: read') }],
    [500, { message: 'x' }, { kind: 'external' }],
    [200, {}, { kind: 'external' }],
  ])('fails if GitHub answers %d', async (status, body, failure) => {
    expect(await failureOf(attest(onGitHub, '#1', { '/issues/1': { status, body } }))).toMatchObject(failure);
  });

  it('refuses a pattern that finds something else', async () => {
    const failure = await failureOf(attest({ ...onGitHub, 'issue-pattern': String.raw`WEB-\d+` }, 'WEB-1'));
    expect(failure.message).toContain('finds "WEB-1", which is not the number of an issue on GitHub');
  });
});
