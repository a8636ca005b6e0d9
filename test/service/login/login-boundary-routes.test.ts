import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { maximumEvidenceNames } from '../../../src/contract/limits.ts';
import { listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { administer } from '../../support/administration.ts';
import { changePolicies, listVerdicts, pod, policyForm, savePolicy } from '../../support/environment-samples.ts';
import { type LoginFixture, startLoginFixture } from '../../support/login-fixture.ts';
import { prepareEverything } from '../../support/prepare-organization.ts';
import type { TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attestationForm, fingerprintOf, sampleArtifact, sampleAttestation } from '../../support/service-samples.ts';

const strictPolicy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
  attestations:
    - name: sonar
      type: sonar
`;
const pullRequest = { ref: 'refs/pull/7/merge', event_name: 'pull_request', sub: 'repo:acme/web:pull_request' };
const uncounted = 'only with keys that do not count for environment';

let fixture: LoginFixture;
let service: TestService;
/** Keys of runs that the rules `pulls` (for pull requests) and `deploy` (for `main`) admit. */
let pulls: string;
let main: string;
/** Each test has an artifact of its own. */
let fingerprint: string;
let production: string;
let count = 0;
beforeAll(async () => {
  fixture = await startLoginFixture();
  ({ service } = fixture);
  await prepareEverything(service, 'acme', service.apiKey);
  await savePolicy(service, 'strict', strictPolicy);
  const sandbox = { name: 'sandbox', description: '', template: ['sonar'] };
  await call(service, { method: 'PUT', path: '/flows/acme', json: sandbox });
  await savePullRequestRule();
  await fixture.saveRule({ permissions: ['record', 'define'] });
});
afterAll(() => fixture.stop());

/** The rule of docs/how-to/connect.md for pull requests. */
function savePullRequestRule(change: Readonly<Record<string, unknown>> = {}): Promise<Called> {
  return administer(service, {
    method: 'PUT',
    path: '/organizations/acme/login-rules/pulls',
    json: {
      ...{ issuer: fixture.provider.issuer, repository: 'acme/web', repository_id: '123' },
      ...{ refs: ['refs/pull/*/merge'], events: ['pull_request'], private_pull_requests: true, role: 'member' },
      ...change,
    },
  });
}

beforeEach(async () => {
  count += 1;
  fixture.clock.offset += 1000;
  fingerprint = fingerprintOf(`${count}abc`);
  production = `production-${count}`;
  await savePullRequestRule();
  [pulls, main] = await Promise.all([fixture.logIn(pullRequest), fixture.logIn()]);
  const json = { name: production, type: 'K8S', description: '', policies: ['strict'] };
  await call(service, { method: 'PUT', path: '/environments/acme', json });
});

const report = (key: string, change = {}, flow = 'web'): Promise<Called> => {
  const json = sampleArtifact({ fingerprint, trail_name: `trail-${count}`, ...change });
  return call(service, { method: 'POST', path: `/artifacts/acme/${flow}`, json, key });
};
const attest = (key: string, status: string, change = {}, headers = {}): Promise<Called> => {
  const form = attestationForm(sampleAttestation(status, { artifact_fingerprint: fingerprint, ...change }));
  const path = `/attestations/acme/web/trail/trail-${count}/sonar`;
  return call(service, { method: 'POST', path, form, key, headers });
};
const run = (key?: string, environment = production): Promise<Called> => {
  const json = { artifacts: [pod('web-1', { web: `${count}abc` })] };
  const sent = { method: 'PUT', path: `/environments/acme/${environment}/report/K8S`, json };
  return call(service, key === undefined ? sent : { ...sent, key });
};
const assertIn = (query = `environment_name=${production}`): Promise<Called> =>
  call(service, { path: `/asserts/acme/fingerprint/${fingerprint}?${query}` });
const verdictOf = async (environment = production): Promise<unknown> =>
  (await listVerdicts(service, environment)).at(-1);
const saveFlow = (key: string, change = {}): Promise<Called> => {
  const json = { name: `flow-${count}`, description: 'Mine', template: ['sonar'], ...change };
  return call(service, { method: 'PUT', path: '/flows/acme', json, key });
};
const beginTrail = (key: string, flow: string, template?: string): Promise<Called> => {
  const form = new FormData();
  form.set('data_json', JSON.stringify({ name: 'change-1' }));
  if (template !== undefined) form.set('template_file.0', new Blob([template]), 'template.yml');
  return call(service, { method: 'PUT', path: `/trails/acme/${flow}`, form, key });
};

describe('the key of a pull request', () => {
  it('gives no artifact provenance in an environment, and turns it neither green nor red', async () => {
    await run();
    expect(await verdictOf()).toBe(false);
    expect([(await report(pulls)).status, (await attest(pulls, 'OK')).status]).toEqual([201, 201]);
    expect(await verdictOf()).toBe(false);
    const asserted = await assertIn();
    expect(asserted.body).toMatchObject({ compliant: false });
    expect(asserted.text).toContain(`reported ${uncounted} ${production}`);
    const log = await call(service, { path: `/environments/acme/${production}/events` });
    expect([log.status, log.body]).toMatchObject([200, [{ pipeline: '' }]]);

    await report(main);
    await attest(main, 'OK');
    expect([await verdictOf(), valueAt((await assertIn()).body, 'compliant')]).toEqual([true, true]);
    await attest(pulls, 'ERROR');
    await report(pulls, { template_reference_name: 'other', trail_name: 'elsewhere' });
    expect((await report(pulls, {}, 'sandbox')).status).toBe(201);
    expect([await verdictOf(), valueAt((await assertIn()).body, 'compliant')]).toEqual([true, true]);
    // The trail and the flow do see it, and pages say what it counts for.
    await report(pulls);
    const found = await call(service, { path: `/artifacts/acme/web/fingerprint/${fingerprint}` });
    expect(valueAt(found.body, 'state')).toBe('NON-COMPLIANT');
    const page = await call(service, { at: textAt(found.body, 'html_url') ?? '', path: '' });
    expect(page.text).toContain('its trail and flow, and no environment');
  });

  it('does not mend evidence that counts, and says why evidence is missing', async () => {
    await report(main);
    await run();
    await attest(pulls, 'OK');
    expect(await verdictOf()).toBe(false);
    expect((await assertIn()).text).toContain(`recorded ${uncounted} ${production}`);
    await attest(main, 'ERROR');
    await attest(pulls, 'OK');
    expect([await verdictOf(), valueAt((await assertIn()).body, 'compliant')]).toEqual([false, false]);
    await attest(main, 'OK');
    expect(await verdictOf()).toBe(true);
  });

  it('takes neither the place nor all names of evidence that counts for other environments', async () => {
    await report(main);
    await attest(main, 'OK');
    await attest(pulls, 'ERROR');
    await service.storage.query(`INSERT INTO limited_evidence (org, flow, scope, counts_for, name, sequence)
      WITH RECURSIVE names (number) AS (SELECT 2 UNION ALL SELECT number + 1 FROM names WHERE number < ${maximumEvidenceNames})
      SELECT org, flow, scope, counts_for, 'name-' || number, sequence FROM names, limited_evidence
      WHERE sequence = (SELECT max(sequence) FROM limited_evidence WHERE flow = 'web')`);
    const another = { attestation_name: 'another' };
    const statuses = [(await attest(pulls, 'OK', another)).status, (await attest(main, 'OK', another)).status];
    expect(statuses).toEqual([400, 201]);
    await run();
    expect(await verdictOf()).toBe(true);
  });

  it('overrides nothing, and an override of its evidence counts no more than that', async () => {
    const override = async (key: string): Promise<number> => {
      const verdict = { reason: 'Reviewed', new_compliance_status: true, original_attestation_type: 'sonar' };
      const json = { attestation_name: 'sonar', artifact_fingerprint: fingerprint, ...verdict };
      const path = `/attestations/acme/web/trail/trail-${count}/override`;
      return (await call(service, { method: 'POST', path, json, key })).status;
    };
    await report(main);
    await run();
    await attest(pulls, 'ERROR');
    expect([await override(pulls), await override(main)]).toEqual([403, 201]);
    expect(await verdictOf()).toBe(false);
    await attest(main, 'ERROR');
    await attest(pulls, 'ERROR');
    expect([await override(main), await verdictOf()]).toEqual([201, true]);
  });

  it('cannot use the idempotency key of evidence that counts', async () => {
    await report(main);
    await run();
    const headers = { 'idempotency-key': `"same-${count}"` };
    expect((await attest(pulls, 'OK', {}, headers)).status).toBe(201);
    expect((await attest(main, 'OK', {}, headers)).status).toBe(201);
    expect(await verdictOf()).toBe(true);
  });

  it('does not count for policies that are asserted without an environment', async () => {
    await report(pulls);
    await attest(pulls, 'OK');
    const asserted = await assertIn('policy_name=strict');
    expect(asserted.body).toMatchObject({ compliant: false });
    expect(asserted.text).toContain('only with keys that do not count for all environments');
    await report(main);
    expect((await assertIn('policy_name=strict')).body).toMatchObject({ compliant: false });
    await attest(main, 'OK');
    expect((await assertIn('policy_name=strict')).body).toMatchObject({ compliant: true });
  });

  it('cannot give an artifact a name that a policy excepts', async () => {
    const excepting = `${strictPolicy.split('  trail')[0] ?? ''}    exceptions:
      - if: \${{ artifact.name == "free.tar" }}
`;
    await savePolicy(service, 'excepting', excepting);
    await changePolicies(service, 'DELETE', production, ['strict']);
    await changePolicies(service, 'POST', production, ['excepting']);
    await report(pulls, { filename: 'free.tar' });
    expect((await assertIn()).body).toMatchObject({
      compliant: false,
      reasons: [{ value: `reported ${uncounted} ${production}` }],
    });
  });

  it('counts for the environments that its rule names, and may report these', async () => {
    const preview = `preview-${count}`;
    const json = { name: preview, type: 'K8S', description: '', policies: ['strict'] };
    await call(service, { method: 'PUT', path: '/environments/acme', json });
    const whole = { name: `all-${count}`, type: 'logical', description: '', policies: ['strict'] };
    const logical = { ...whole, included_environments: [preview] };
    await call(service, { method: 'PUT', path: '/environments/acme', json: logical });
    expect((await run(pulls, preview)).status).toBe(403);
    await savePullRequestRule({ counts_for_environments: [preview] });
    const own = await fixture.logIn(pullRequest);
    await report(own);
    await attest(own, 'OK');
    expect((await run(own, preview)).status).toBe(201);
    const refused = await run(own);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('counts_for_environments')]);
    await run();
    expect([await verdictOf(preview), await verdictOf()]).toEqual([true, false]);
    const asserted = async (name: string): Promise<unknown> =>
      valueAt((await assertIn(`environment_name=${name}`)).body, 'compliant');
    // The rule does not name the logical environment.
    expect([await asserted(preview), await asserted(production), await asserted(whole.name)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await verdictOf(whole.name)).toBe(false);
    const lone = { name: `lone-${count}`, type: 'logical', included_environments: [production] };
    await call(service, { method: 'PUT', path: '/environments/acme', json: lone });
    const { text } = await assertIn(`environment_name=${lone.name}`);
    expect(text).toContain('only with keys that do not count for a member of the environment');
    // A key that opens the logical environment need not open its members.
    expect(text).not.toContain(production);
    // What fails for a member is worse than what only lacks evidence.
    await report(service.apiKey);
    await attest(own, 'ERROR');
    expect((await assertIn(`environment_name=${whole.name}`)).text).toContain('the quality gate is ERROR');
  });

  it('cannot change what evidence is judged by', async () => {
    expect((await saveFlow(main)).status).toBe(201);
    const attempts = [
      saveFlow(pulls, { template: [] }),
      saveFlow(pulls, { name: 'new' }),
      beginTrail(pulls, `flow-${count}`, 'version: 1\n'),
      call(service, {
        ...{ method: 'PUT', path: '/policies/acme', key: pulls },
        form: policyForm({ name: 'strict', description: '', type: 'env' }, { content: strictPolicy }),
      }),
      changePolicies(service, 'DELETE', production, ['strict'], pulls),
      changePolicies(service, 'POST', production, ['strict'], pulls),
    ];
    for (const attempt of attempts) {
      const { status, body } = await attempt;
      expect([status, textAt(body, 'errors', 'authorization')]).toEqual([
        403,
        'is an API key of the login rule pulls, which lacks the permission define; an admin can add it to the ' +
          '`permissions` of the rule, but the key of a pull request never has `define`; or use a workflow run that a rule with ' +
          'this permission admits',
      ]);
    }
    const json = { name: production, type: 'K8S', policies: [] };
    const replaced = await call(service, { method: 'PUT', path: '/environments/acme', json, key: pulls });
    expect(replaced.status).toBe(403);
    await run();
    expect(await verdictOf()).toBe(false);
  });

  it('may declare again what exists already, and begin trails without a template', async () => {
    const template = 'version: 1\ntrail:\n  attestations:\n    - name: unit\n      type: generic\n';
    expect((await saveFlow(main)).status).toBe(201);
    expect((await beginTrail(main, `flow-${count}`, template)).status).toBe(201);
    expect((await saveFlow(pulls)).status).toBe(200);
    expect((await beginTrail(pulls, `flow-${count}`, template)).status).toBe(200);
    expect((await beginTrail(pulls, `flow-${count}`)).status).toBe(200);
  });
});

describe('a login rule', () => {
  const saved = async (change: Readonly<Record<string, unknown>>): Promise<unknown> =>
    (await fixture.saveRule(change)).body;

  it('permits to record, and counts for all environments unless it admits pull requests', async () => {
    expect(await saved({})).toMatchObject({ permissions: ['record'], counts_for_environments: ['*'] });
    const pull = { events: ['push', 'pull_request_review'] };
    expect(await saved(pull)).toMatchObject({ permissions: ['record'], counts_for_environments: [] });
    const own = { counts_for_environments: ['staging'], permissions: ['record', 'define'] };
    expect(await saved({ ...pull, ...own })).toMatchObject(own);
    await fixture.saveRule({ permissions: ['record', 'define'] });
  });

  it('gives the permissions of a request and what it counts for together', async () => {
    await savePullRequestRule({ flows: ['sandbox'], refs: ['refs/heads/main'], events: ['push', 'pull_request'] });
    await fixture.saveRule({ flows: ['web'], permissions: ['record'] });
    const both = await fixture.logIn();
    await run();
    expect((await report(both, {}, 'sandbox')).status).toBe(201);
    expect((await assertIn()).text).toContain(`reported ${uncounted} ${production}`);
    await report(both);
    await attest(both, 'OK');
    expect(await verdictOf()).toBe(true);
    await fixture.saveRule({ permissions: ['record', 'define'] });
  });
});

describe('a login rule of an earlier version', () => {
  it('keeps its permissions and counts for all environments, and administrators see what the defaults would be', async () => {
    const { storage } = service;
    const [row] = await storage.query("SELECT conditions FROM login_rules WHERE org = 'acme' AND name = 'pulls'");
    const conditions = JSON.parse(String(row?.['conditions'])) as Record<string, unknown>;
    const { permissions, counts_for_environments, ...earlier } = conditions;
    expect([permissions, counts_for_environments]).toEqual([['record'], []]);
    const renamed = Object.entries(earlier).map(([name, value]) => [
      name.replaceAll(/_(.)/gu, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]);
    const statement = "UPDATE login_rules SET conditions = $1 WHERE org = 'acme' AND name = 'pulls'";
    await storage.query(statement, [JSON.stringify(Object.fromEntries(renamed))]);
    const listed = await administer(service, { method: 'GET', path: '/organizations/acme/login-rules' });
    expect(listed.body).toContainEqual(
      expect.objectContaining({ name: 'pulls', permissions: ['record', 'define'], counts_for_environments: ['*'] }),
    );
    const own = await fixture.logIn(pullRequest);
    // Whatever the rule says, the key of a pull request does not define anything.
    expect((await saveFlow(own)).status).toBe(403);
    expect((await saveFlow(main)).status).toBe(201);
    await report(own);
    await attest(own, 'OK');
    await run(own);
    expect(await verdictOf()).toBe(true);

    const rowOf = async (name: string): Promise<string> => {
      const page = await call(service, { at: `${service.url}/acme/administration`, path: '' });
      const words = page.text.replaceAll(/<[^>]+>/gu, ' ').replaceAll(/\s+/gu, ' ');
      return words.slice(words.indexOf(` ${name} acme/web`)).slice(0, 200);
    };
    expect(await rowOf('pulls')).toMatch(
      /pull_request member record, define all environments .*Of an earlier version permissions would be record, and it would count for no environment; save it again to decide/u,
    );
    expect(await rowOf('deploy')).toContain('push member record, define all environments no change');
    await savePullRequestRule();
    expect(await rowOf('pulls')).toContain('pull_request member record no environment no change');
  });
});

describe('the audit log', () => {
  it('has the changes of flows, templates, policies and attachments, but not what changes nothing', async () => {
    const flow = `flow-${count}`;
    for (const change of [{}, {}, { template: ['unit'] }]) await saveFlow(main, change);
    for (let time = 0; time < 2; time += 1) await beginTrail(main, flow, 'version: 1\n');
    await savePolicy(service, `policy-${count}`, strictPolicy);
    await savePolicy(service, `policy-${count}`, strictPolicy);
    for (let time = 0; time < 2; time += 1) await changePolicies(service, 'DELETE', production, ['strict']);
    await changePolicies(service, 'POST', production, ['strict']);
    const json = { name: production, type: 'K8S', require_provenance: true };
    await call(service, { method: 'PUT', path: '/environments/acme', json });
    const { body } = await administer(service, { method: 'GET', path: '/organizations/acme/audit-log?per_page=9' });
    const events = listAt(body, 'data').map(
      (event) => `${textAt(event, 'type') ?? ''} ${textAt(event, 'subject') ?? ''}`,
    );
    expect(events.toReversed()).toEqual([
      `policy_attached environment ${production}`,
      `flow_created flow ${flow}`,
      `flow_changed flow ${flow}`,
      `trail_template_changed trail change-1 of flow ${flow}`,
      `policy_created policy policy-${count}`,
      `policy_updated policy policy-${count}`,
      `policy_detached environment ${production}`,
      `policy_attached environment ${production}`,
      `provenance_requirement_changed environment ${production}`,
    ]);
    expect(listAt(body, 'data').at(-2)).toMatchObject({ actor: 'workflow:acme/web' });
  });
});
