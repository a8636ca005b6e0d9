import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../../../src/runtime/untrusted-data.ts';
import { parseApiKey } from '../../../../src/service/account/api-key.ts';
import { sampleFingerprint } from '../../../../tools/browser/sample-evidence.ts';
import { type SampleService, startSampleService } from '../../../../tools/browser/sample-service.ts';

describe('the pages of an organization with records', () => {
  let service: SampleService;
  beforeAll(async () => {
    service = await startSampleService(1_790_000_000);
  });
  afterAll(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(service.url + path, { headers: { authorization: `Bearer ${service.key}`, ...headers } });
  /** The text of a page, without its markup. */
  const read = async (path: string): Promise<string> => {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 200]);
    const main = /<main[^]*<\/main>/.exec(await response.text())?.[0] ?? '';
    return main
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll('&quot;', '"');
  };

  it('begin with what needs attention', async () => {
    expect(await read('/')).toContain('acme admin ✕ 2 of 4 not compliant');
    const overview = await read('/acme');
    expect(overview).toMatch(
      /Needs attention ✕ Not compliant Environment production \(began 9 hours ago \): web.sonar of /,
    );
    expect(overview).toMatch(
      /Trail shop: change number 126 of the flow web \(began 9 hours ago \): web.sonar : new_coverage/,
    );
    expect(overview).toMatch(
      /web The web shop: from commit to production ✕ Not compliant 33 % on main, of 9 trails shop: change number 126 /,
    );
    expect(overview).toMatch(
      /1 flow without trails mobile What fails or is missing most .* web.sonar ✕ Fails web 2 trails/,
    );
    expect(overview).toMatch(/production ✕ Not compliant 9 hours ago 33 % 2 days K8S/);
    expect(await read('/acme?days=90&branches=all')).toMatch(/Compliant in 90 days .* 33 % of 9 trails/);
    expect((await get('/acme?days=7')).status).toBe(400);
    const page = await (await get('/acme')).text();
    const link = /href="([^"]*fault=web.sonar[^"]*)">2 trails/.exec(page)?.[1] ?? '';
    expect(await read(link.replaceAll('&amp;', '&'))).toContain('1 to 2 of 2 trails');
    expect(await read('/acme/flows?name=WE')).toMatch(
      /web The web shop.* ✓ Compliant ◐ Incomplete .* change number 126/,
    );
    expect(await read('/acme/flows?name=x')).toContain('No flow has a name with “x”.');
  });

  it('show trails against their required evidence, and select them', async () => {
    const matrix = await read('/acme/flows/web');
    expect(matrix).toContain(
      'Message State Commit Author Branch Pull request pull-request web web.unit-tests web.sonar Extra Begun',
    );
    const row = 'change number 124 ◐ Incomplete 31f647122fee Ada Example main ○ ✓ ✓ ○';
    expect(matrix).toContain(row);
    expect(matrix).toMatch(/change number 125 .* main #125 .* \+ licence-scan/);
    expect(matrix).toContain('1 to 9 of 9 trails');
    const incomplete = await read('/acme/flows/web?state=INCOMPLETE');
    expect(incomplete).toContain(row);
    expect(incomplete).not.toContain('change number 125');
    expect(await read('/acme/flows/web?name=build-12&offset=5')).toMatch(/change number 121 .*← Previous/);
    expect(await read('/acme/flows/web?name=nothing')).toContain('No trail is selected by this filter.');
    expect(await read('/acme/flows/mobile')).toContain('There is no trail yet.');
  });

  it('show how a flow and an environment do', async () => {
    const flow = await read('/acme/flows/web?days=90');
    expect(flow).toMatch(/Compliant in 90 days: 33 % on main, of 9 trails Trends: 30 days 90 days/);
    expect(flow).toMatch(
      /Lead times Environment Median Slowest Trails production 10 minutes 10 minutes: build-126 8 staging/,
    );
    expect(flow).toMatch(/Template version: 1 trail: attestations: - name: pull-request/);
    expect(flow).toMatch(/Policies Policy Applies to its artifacts in Names the flow production-rules production no/);
    expect(await (await get('/acme/flows/web')).text()).toContain('title="Since 2026-09-2');
    expect(await read('/acme/flows/web/trails/build-126')).toContain('In this state since 9 hours ago');
    expect(await read('/acme/flows/api')).toContain('Of each trail: artifact, sonar');
    const production = await read('/acme/environments/production');
    expect(production).toMatch(/Compliant in 30 days 33 % .*Not compliant for 2 days/);
    expect(production).toMatch(/Runs since .*✕ Not compliant 9 hours ago/);
    expect(await read('/acme/environments/shop')).toMatch(/Runs since .*✕ Not compliant 9 hours ago/);
  });

  it('say what is missing, and who reviewed', async () => {
    const trail = await read('/acme/flows/web/trails/build-124');
    expect(trail).toMatch(/What is required .*pull-request the trail ○ Missing not recorded; pull_request is required/);
    const reviewed = await read('/acme/flows/web/trails/build-125');
    expect(reviewed).toMatch(/Pull request Change number 125 \(MERGED, approved by grace\)/);
    expect(reviewed).toMatch(/web.licence-scan .*Artifact registry.example.com\/shop\/web reported .*Trail begun/);
    const page = await (await get('/acme/flows/web/trails/build-125')).text();
    const path = /href="([^"]+)">pull-request</.exec(page)?.[1] ?? '';
    expect(await read(path)).toMatch(/ada change-125 → main .* grace: APPROVED, .* linus: CHANGES_REQUESTED/);
    expect(
      await (await get(`/acme/flows/web/trails/build-125?attestation_id=${path.split('/').at(-1)}`)).text(),
    ).toContain('<strong class="mark">');
  });

  it('judge an artifact rule by rule', async () => {
    const artifact = await read(`/acme/flows/web/artifacts/${sampleFingerprint('build-126')}`);
    expect(artifact).toMatch(/Policies of production ✕ Not compliant It does not comply with production-rules\./);
    expect(artifact).toMatch(
      /provenance production-rules, version 3 ✓ Kept trail-compliance .* ✕ Broken web.sonar : new_coverage is 71.4; at least 80/,
    );
    expect(artifact).toMatch(/Where it runs and ran .*production Runs now/);
  });

  it('compare snapshots, and versions of policies', async () => {
    expect(await read('/acme/environments/shop')).toMatch(/Members production staging/);
    expect(await read('/acme/environments/production?page=2')).toContain('There are no snapshots on this page.');
    expect(await read('/acme/environments/production/snapshots/3')).toMatch(/Snapshot 3 of 8/);
    expect(await read('/acme/environments/production/on-day?day=2026-09-19')).toMatch(/Snapshot [34] of 8/);
    expect((await get('/acme/environments/production/on-day?day=2025-09-19')).status).toBe(404);
    const compared = await read('/acme/compare?first=production~1&second=staging');
    expect(compared).toMatch(/Only in the second .* legacy-mailer .* Only in the first/);
    const failed = await get('/acme/compare?first=production%2399&second=none');
    expect([failed.status, await failed.text()]).toEqual([400, expect.stringContaining('len(snapshots) == 8')]);
    expect(await read('/acme/policies')).toMatch(/production-rules 3 What must hold .* production/);
    const difference = await read('/acme/policies/production-rules?from=1&to=2');
    expect(difference).toContain('From version 1 to version 2');
    expect(difference).toContain('+ attestations: + - type: junit');
    expect(await read('/acme/policies/production-rules?version=1')).not.toContain('type: junit');
    expect(await read('/acme/policies/production-rules?version=7')).toContain('There is no version 7.');
    expect((await get('/acme/policies/none')).status).toBe(404);
  });

  it('find fingerprints, commits and names', async () => {
    const digits = sampleFingerprint('build-120').slice(0, 9);
    expect(await read(`/acme/search?q=sha256:${digits.toUpperCase()}`)).toMatch(/Artifacts .*build-120/);
    expect(await read('/acme/search?q=build-12')).toMatch(/Trails .*build-120 web/);
    expect(await read('/acme/search?q=PROD')).toMatch(/Environments production Policies production-rules/);
    expect(await read('/acme/search?q=zzz')).toContain('Nothing was found.');
    const form = await read('/acme/search');
    expect(form).toContain('Search for at least 5 digits of a fingerprint');
    expect(form).not.toContain('Nothing was found.');
  });

  it('show administrators who has access, without secrets', async () => {
    const page = await read('/acme/administration');
    expect(page).toMatch(/ada member 1 .*service account ci Jobs of acme\/web in 12 months never/);
    expect(page).toContain('webhook https://hooks.invalid/…');
    expect(page).not.toContain('services/secret');
    expect(page).not.toContain(parseApiKey(service.key)?.secret);
  });

  it('let administrators search the audit log', async () => {
    const log = '/acme/administration/audit-log';
    expect(await read(log)).toMatch(/\d+ events .*: member saved .* member ada role: member .*: policy created /);
    expect(await read(`${log}?actor=nobody&subject=ada&type=&from=&to=`)).toContain('No event is selected.');
    const found = await read(`${log}?type=member_saved&subject=ada`);
    expect(found).toMatch(/ 1 event .*: member saved .* member ada role: member/);
    expect(await read(`${log}?to=2001-01-01`)).toContain(' 0 events ');
    for (const wrong of ['type=none', 'from=2026-13-01', 'from=2026-02-02&to=2026-02-01', 'page=0']) {
      expect([wrong, (await get(`${log}?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  it('give each of their lists as a file: all of it, by the same filter', async () => {
    const pages = [
      ['/acme/flows?name=WE', 'flows', 'name,description,latest_trail', 1],
      ['/acme/flows/web?state=INCOMPLETE', 'trails', 'name,state,state_info', 2],
      ['/acme/flows/web/trails/build-126', 'evidence', 'name,about,state,why,required', 3],
      ['/acme/flows/web/trails/build-126', 'artifacts', 'name,state,required,fingerprint', 1],
      ['/acme/environments', 'environments', 'name,type,state,since', 4],
      ['/acme/environments/production', 'snapshots', 'number,state,from,to,html_url', 8],
      ['/acme/environments/production', 'running', 'name,fingerprint,state,allowed', 1],
      ['/acme/environments/shop/snapshots/2', 'running', 'name,fingerprint,state,allowed', 2],
      ['/acme/environments/production', 'reasons', 'about,state,value,limit,rule', 3],
      ['/acme/policies', 'policies', 'policy,description,attached_to,version', 3],
      ['/acme/policies/production-rules', 'versions', 'policy,description,attached_to,version', 3],
      ['/acme/search?q=web', 'results', 'kind,name,flow,trail,fingerprint', 10],
      ['/acme/administration/audit-log?subject=production-rules', 'events', 'number,type,at,actor,subject', 3],
    ] as const;
    for (const [path, list, header, count] of pages) {
      const links = (await (await get(path)).text()).matchAll(/href="([^"]*download=[^"]*)"/gu);
      const offered = [...links].map(([, address = '']) => address.replaceAll('&amp;', '&'));
      const find = (format: string): Promise<Response> =>
        get(offered.find((address) => address.endsWith(`download=${list}.${format}`)) ?? 'none');
      const csv = await find('csv');
      expect([csv.status, await csv.text()]).toEqual([200, expect.stringMatching(`^${header}`)]);
      expect(csv.headers.get('content-disposition')).toMatch(/filename="acme-[\w.-]+\.csv"/u);
      const rows: unknown = await (await find('json')).json();
      expect([path, list, Array.isArray(rows) ? rows.length : rows]).toEqual([path, list, count]);
    }
  });

  it('give lists only to those who may see the page, and few at the same time', async () => {
    const created = await fetch(`${service.url}/api/v2/organizations/acme/members/alan/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const authorization = `Bearer ${String(valueAt(await created.json(), 'key'))}`;
    expect((await get('/acme/administration/audit-log?download=events.csv', { authorization })).status).toBe(403);
    expect((await get('/acme/flows?download=flows.csv', { authorization })).status).toBe(200);
    expect((await get('/acme/flows?download=trails.csv')).status).toBe(400);
    expect((await get('/acme/flows/none?download=trails.csv')).status).toBe(404);
    expect((await get('/acme/environments/preview/snapshots/99?download=running.csv')).status).toBe(404);
    const many = Array.from({ length: 20 }, () => get('/acme/flows/web?download=trails.json', { authorization }));
    const [log, ...responses] = await Promise.all([get('/acme/administration/audit-log?download=events.csv'), ...many]);
    // The downloads of one user do not count for another.
    expect(log.status).toBe(200);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
    await Promise.all([log, ...responses].map((response) => response.text()));
  });

  it('name the request of the API with the same data, which works', async () => {
    for (const path of [
      '/acme',
      '/acme/flows/web',
      '/acme/environments/production',
      '/acme/administration',
      '/acme/administration/audit-log?type=key_created&actor=a&from=2020-01-01&to=2040-01-01&subject=key',
      '/acme/search?q=build',
    ]) {
      const requests = [...(await (await get(path)).text()).matchAll(/<code>GET ([^<]+)<\/code>/g)];
      expect(requests.length).toBeGreaterThan(0);
      for (const [, address = ''] of requests) {
        const url = new URL(address.replaceAll('&amp;', '&'));
        expect([url.pathname, (await get(url.pathname + url.search)).status]).toEqual([url.pathname, 200]);
      }
    }
  });

  it('explain errors to people, and keep the form of errors for programs', async () => {
    const missing = await get('/acme/flows/none', { accept: 'text/html' });
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await missing.text()).toContain('Flow named &#39;none&#39; does not exist');
    const invalid = await get('/acme/flows/web?offset=-1', { accept: 'text/html' });
    expect([invalid.status, await invalid.text()]).toEqual([400, expect.stringContaining('query.offset')]);
    expect(await (await get('/acme/flows/none')).json()).toHaveProperty('message');
  });
});
