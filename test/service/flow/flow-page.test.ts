import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { policyForm, provenancePolicy } from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, commitOf, report, saveFlow } from '../../support/service-samples.ts';

let service: TestService;
/** How far the service's clock was set back, in milliseconds. */
let behind = 0;
const read = async (query = ''): Promise<{ readonly text: string; readonly type: string | null }> => {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const response = await fetch(`${service.url}/acme/flows/web${query}`, { headers });
  expect([response.status, response.ok ? '' : await response.clone().text()]).toEqual([200, '']);
  return { text: await response.text(), type: response.headers.get('content-type') };
};
const listTrails = async (query: string): Promise<readonly string[]> =>
  [...(await read(query)).text.matchAll(/<th scope="row"><a [^>]*title="([^"]*)"/gu)].map(([, name = '']) => name);

beforeAll(async () => {
  service = await startTestService({ sources: { now: () => Date.now() - behind } });
  await saveFlow(service, { template: ['artifact', 'pull-request'] });
  const git_commit_info = (sha: string, branch: string, message: string): object => ({
    ...{ sha1: commitOf(sha), author: 'Ann Dev <ann@example.com>', branch, message: `${message}\n\nThe body.` },
    timestamp: 1_795_000_000,
  });
  const commits = [
    ['1', 'main', '=HYPERLINK("evil")'],
    ['2', 'feature/long', 'feat: begin'],
  ] as const;
  for (const [sha, branch, message] of commits) {
    const form = attestationForm({ name: commitOf(sha), git_commit_info: git_commit_info(sha, branch, message) });
    expect((await call(service, { method: 'PUT', path: '/trails/acme/web', form })).status).toBe(201);
  }
  await report(service, { trail_name: commitOf('1') });
  const approved = { approvers: ['bob'], commits: [], merge_commit: commitOf('1'), state: 'MERGED' };
  const pull_requests = [{ url: 'https://github.com/acme/web/pull/12', ...approved }];
  const form = attestationForm({
    ...{ attestation_name: 'pull-request', git_provider: 'github', pull_requests },
  });
  const path = `/attestations/acme/web/trail/${commitOf('1')}/pull_request`;
  const sent = await call(service, { method: 'POST', path, form });
  expect([sent.status, sent.text]).toEqual([201, sent.text]);
});
afterAll(() => service.stop());

describe('the page of a flow', () => {
  it('lists trails like commits, with a sign for each piece of evidence', async () => {
    const { text } = await read();
    expect(text).toContain('<body class="wide">');
    for (const part of [
      '=HYPERLINK(&quot;evil&quot;)</a>',
      `<code title="${commitOf('1')}">${'1'.repeat(12)}</code>`,
      'href="/acme/flows/web?branch=feature%2Flong"',
      '>Ann Dev</a',
      '<a href="https://github.com/acme/web/pull/12" rel="noreferrer">#12</a>',
      'aria-label="pull-request: Compliant">✓</a>',
      '1 to 2 of 2 trails',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('The body.');
  });

  it('names the policies whose rules name the flow', async () => {
    for (const [name, flow] of [
      ['strict', 'web'],
      ['other', 'api'],
    ]) {
      const rule = `{if: '\${{ flow.name == "${flow}" }}', name: '*', type: '*'}`;
      const content = `${provenancePolicy}  attestations:\n    - ${rule}\n`;
      const form = policyForm({ name, type: 'env' }, { content });
      const { status, text } = await call(service, { method: 'PUT', path: '/policies/acme', form });
      expect([status, text]).toEqual([201, text]);
    }
    const { text } = await read();
    expect(text).toContain('<a href="/acme/policies/strict">strict</a>');
    expect(text).not.toContain('/acme/policies/other');
  });

  it('selects trails by state, branch, author and day', async () => {
    const [one, two] = [commitOf('1'), commitOf('2')];
    expect(await listTrails('')).toEqual([two, one]);
    expect(await listTrails('?state=COMPLIANT')).toEqual([one]);
    expect(await listTrails('?state=&branch=main&author=&from=&to=&name=')).toEqual([one]);
    expect(await listTrails(`?author=${encodeURIComponent('Ann Dev <ann@example.com>')}`)).toEqual([two, one]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await listTrails(`?from=${today}&to=2999-01-01&name=2`)).toEqual([two]);
    expect(await listTrails('?to=2020-01-01')).toEqual([]);
  });

  it('keeps the filters when another trend is chosen, and the trend when others are', async () => {
    const { text } = await read('?branch=main&days=90');
    expect(text).toContain('href="/acme/flows/web?branch=main"');
    expect(text).toContain('href="/acme/flows/web?branch=main&amp;days=90&amp;branches=all"');
    expect(text).toContain('<input type="hidden" name="days" value="90" />');
  });

  it('gives the same list as a file that spreadsheets do not run', async () => {
    const csv = await read('?download=trails.csv&branch=main');
    expect(csv.type).toBe('text/csv; charset=utf-8');
    const [header, line] = csv.text.split('\r\n', 2);
    expect(header).toBe('name,state,state_info,created_at,message,commit,author,branch,pull_request,html_url');
    expect(line).toMatch(new RegExp(`^${commitOf('1')},COMPLIANT,`, 'u'));
    expect(csv.text).toContain(`,"'=HYPERLINK(""evil"")\n`);
    behind = 3_600_000;
    const json: unknown = JSON.parse((await read('?download=trails.json')).text);
    behind = 0;
    expect(json).toMatchObject([
      { name: commitOf('2'), state: 'INCOMPLETE' },
      { name: commitOf('1'), pull_request: 'https://github.com/acme/web/pull/12' },
    ]);
    expect(JSON.parse((await read('?download=trails.json&name=none')).text)).toEqual([]);
  });
});
