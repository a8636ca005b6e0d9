import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import {
  createSigningKey,
  type IdentityProvider,
  type SigningKey,
  signToken,
} from '../../../tools/identity-provider.ts';
import { administer, keyIdOf } from '../../support/administration.ts';
import { everyEndpoint } from '../../support/every-endpoint.ts';
import { type LoginFixture, rulePath, startLoginFixture } from '../../support/login-fixture.ts';
import { prepareEverything } from '../../support/prepare-organization.ts';
import type { TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { sampleArtifact } from '../../support/service-samples.ts';

let fixture: LoginFixture;
let service: TestService;
let key: SigningKey;
let provider: IdentityProvider;
let audience: string;
let clock: LoginFixture['clock'];
beforeAll(async () => {
  fixture = await startLoginFixture();
  ({ service, key, provider, clock } = fixture);
  audience = service.url;
  await prepareEverything(service, 'acme', service.apiKey);
});
afterAll(() => fixture.stop());
const saveRule: LoginFixture['saveRule'] = (change) => fixture.saveRule(change);
const logIn: LoginFixture['logIn'] = (claims) => fixture.logIn(claims);
const token: LoginFixture['token'] = (claims) => fixture.token(claims);
const logInWith: LoginFixture['logInWith'] = (sent, org) => fixture.logInWith(sent, org);

beforeEach(async () => {
  fixture.clock.offset += 60_000;
  await saveRule();
});

describe('a login', () => {
  it('exchanges a token of a real provider for a key of 15 minutes', async () => {
    // The provider has a clock of its own.
    clock.offset = 0;
    const { status, body } = await logInWith(await provider.issueToken(audience));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      key: expect.stringMatching(/^compkey-[0-9a-f]{16}_[\w-]{43}$/u),
      rules: ['deploy'],
      proven: {
        issuer: provider.issuer,
        repository: 'acme/web',
        repository_id: '123',
        run_id: '4711',
        sha: 'a'.repeat(40),
      },
    });
    expect(Number(valueAt(body, 'expires_at')) - Number(valueAt(body, 'created_at'))).toBeCloseTo(900);
    const own = String(textAt(body, 'key'));
    const read = await call(service, { path: '/flows/acme/web', key: own });
    // The action renews it, so there is nothing to warn of.
    expect([read.status, read.headers.get('api-key-expires-at')]).toEqual([200, null]);
    clock.offset += 901_000;
    const expired = await call(service, { path: '/flows/acme/web', key: own });
    expect([expired.status, expired.text]).toEqual([401, expect.stringContaining('expired')]);
  });

  it.each([
    ['another repository of the same name', { repository_id: '124' }, 'repository_id'],
    ['a renamed repository', { repository: 'acme/new' }, 'repository'],
    ['another branch', { ref: 'refs/heads/feature' }, 'refs'],
    ['an event that is not listed', { event_name: 'pull_request_target' }, 'events'],
  ])('is refused to %s, and names the condition', async (_case, claims, condition) => {
    const { status, body } = await logInWith(await token(claims));
    expect(status).toBe(403);
    expect(body).toEqual({
      message: "No login rule of organization 'acme' admits this workflow run",
      errors: { 'login rule deploy': `does not hold: ${condition}` },
    });
  });

  it('that is refused is logged with the status of the answer', async () => {
    const known = fixture.lines.length;
    await logInWith(await token({ ref: 'refs/heads/feature' }));
    await logInWith('nonsense');
    // The clock of the tests was set forward, which is logged, too.
    expect(fixture.lines.slice(known).filter((line) => line.startsWith('failed'))).toEqual([
      expect.stringMatching(
        /failed authentication: what was sent is the identity token of run 4711 of acme\/web \(123\), .*: 403$/u,
      ),
      expect.stringMatching(/what was sent is an identity token that is not a JWT with an issuer; .*: 401$/u),
    ]);
  });

  it('says nothing about the organization to those whom its rules do not name', async () => {
    await service.createOrganization('empty');
    const signWith = (signer: SigningKey, claims = {}): Promise<string> =>
      signToken(signer, { iss: provider.issuer, aud: audience, ...claims }, { now: clock.now() });
    const foreign = { repository: 'eve/x', repository_id: '9' };
    const sent: readonly (readonly [string, string, string?])[] = [
      ['no token', 'nonsense'],
      ['a key', service.apiKey],
      ['a wrong signature', await signWith(await createSigningKey('one'))],
      ['an unknown key', await signWith(await createSigningKey('unknown'))],
      ['an issuer that no rule names', await token({ iss: 'https://evil.example.com' })],
      ['a repository that no rule names', await token(foreign)],
      ['such a repository and another audience', await token({ ...foreign, aud: 'https://other.example.com' })],
      ['such a repository, expired', await token({ ...foreign, exp: clock.now() / 1000 - 60 })],
      ['such a repository, without a number', await token({ ...foreign, jti: undefined })],
      ['no rules', await token(), 'empty'],
      ['no rules and a wrong signature', await signWith(await createSigningKey('one')), 'empty'],
      ['no organization', await token(), 'nobody'],
      ['no organization and a wrong signature', await signWith(await createSigningKey('one')), 'nobody'],
      ['no organization and no token', 'nonsense', 'nobody'],
    ];
    const expected = await logInWith('nonsense', 'nobody');
    expect([expected.status, textAt(expected.body, 'errors', 'login rules')]).toEqual([
      401,
      expect.stringContaining('is in the audit log'),
    ]);
    const headersOf = ({ headers }: Called): unknown => [...headers].filter(([name]) => name !== 'date');
    for (const [what, credential, org] of sent) {
      const { text, ...answer } = await logInWith(credential, org);
      expect([what, answer.status, text]).toEqual([what, 401, expected.text]);
      expect(headersOf({ text, ...answer })).toEqual(headersOf(expected));
    }
  });

  it('of a repository that a rule names says what is wrong with the token', async () => {
    const { status, text } = await logInWith(await token({ aud: 'https://other.example.com' }));
    expect([status, text]).toEqual([401, expect.stringContaining(`another audience than ${audience}`)]);
  });

  it.each(['repo:acme/web:ref:refs/heads/main', 'repo:acme@7/web@123:ref:refs/heads/main'])(
    'is accepted with either form of the subject: %s',
    async (sub) => {
      const { status, body } = await logInWith(await token({ sub }));
      expect([status, valueAt(body, 'proven')]).toMatchObject([201, { subject: sub, repository_owner_id: '7' }]);
    },
  );

  it('is compared with the job and its runner, if the rule names them', async () => {
    const job_workflow_ref = 'acme/ci/.github/workflows/deploy.yml@refs/heads/main';
    const named = { job_workflow_ref, runner_environment: 'github-hosted', repository_owner_id: '7' };
    expect(await saveRule(named)).toMatchObject({ status: 200, body: named });
    const claims = { job_workflow_ref, runner_environment: 'github-hosted' };
    expect((await logInWith(await token(claims))).status).toBe(201);
    const other = { ...claims, job_workflow_ref: job_workflow_ref.replace('main', 'mine'), repository_owner_id: '8' };
    const { status, body } = await logInWith(await token(other));
    expect([status, textAt(body, 'errors', 'login rule deploy')]).toEqual([
      403,
      'does not hold: job_workflow_ref, repository_owner_id',
    ]);
    expect((await saveRule({ job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml' })).text).toContain(
      'must be owner/name/.github/workflows/file@ref',
    );
  });

  it('works once for each token', async () => {
    const sent = await token();
    const first = await logInWith(sent);
    expect(first.status).toBe(201);
    await saveRule({ role: 'reader' });
    clock.offset += 60_000;
    for (let count = 0; count < 2; count += 1) {
      expect(await logInWith(sent)).toMatchObject({
        status: 401,
        body: {
          errors: {
            authorization:
              'is an identity token that was exchanged for a key before; request a new token for each login',
          },
        },
      });
    }
    const own = { key: textAt(first.body, 'key') ?? '' };
    expect((await call(service, { path: '/flows/acme/web', ...own })).text).toContain('was revoked on');
    const [one, other] = await token().then((both) => Promise.all([logInWith(both), logInWith(both)]));
    expect([one.status, other.status].toSorted()).toEqual([201, 401]);
    expect((await logInWith(await token({ jti: undefined }))).text).toContain('has no claim `jti`');
  });

  it('refuses a token that was used for as long as the token itself is valid', async () => {
    const issued = clock.now();
    const sent = await signToken(
      key,
      { iss: provider.issuer, aud: audience, exp: issued / 1000 + 86_400 },
      { now: issued },
    );
    expect((await logInWith(sent)).status).toBe(201);
    // Longer than its key lives. Each login deletes a few keys that expired long ago.
    clock.offset += 3_600_000;
    for (let count = 0; count < 5; count += 1) await logIn();
    expect((await logInWith(sent)).text).toContain('was exchanged for a key before');
    clock.offset += 31_000;
    expect((await logInWith(sent)).text).toContain('has expired');
  });

  it('survives a rotation of the keys', async () => {
    const second = await createSigningKey('two');
    await logIn();
    await provider.rotate(second);
    const renewed = (): Promise<string> =>
      signToken(second, { iss: provider.issuer, aud: audience }, { now: clock.now() });
    // The keys are fetched again at most every half minute.
    clock.offset += 31_000;
    expect((await logInWith(await renewed())).status).toBe(201);
    clock.offset += 31_000;
    expect((await logInWith(await token())).status).toBe(401);
    expect(fixture.lines.at(-1)).toContain('signed with a key that its issuer does not have');
    await provider.rotate(key);
    clock.offset += 31_000;
    expect((await logInWith(await token())).status).toBe(201);
  });

  it('waits out an outage of the issuer', async () => {
    clock.offset += 700_000;
    provider.setDown(true);
    const { status, headers, body } = await logInWith(await token());
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(textAt(body, 'message')).toContain(provider.issuer);
    // Nor does an outage tell which organizations name the issuer.
    expect(await logInWith(await token(), 'nobody')).toMatchObject({ status, body });
    const logged = (): number => fixture.lines.filter((line) => line.includes('cannot be fetched')).length;
    expect([(await logInWith(await token())).status, logged()]).toEqual([503, 1]);
    clock.offset += 5000;
    expect([(await logInWith(await token())).status, logged()]).toEqual([503, 2]);
    provider.setDown(false);
    clock.offset += 5000;
    expect((await logInWith(await token())).status).toBe(201);
  });
});

describe('the login rules of an organization', () => {
  it('are refused in words if a text does not have its form', async () => {
    const change = { refs: ['main', 'refs/heads/**/x'], workflows: ['ci.yml'], issuer: 'github', repository: 'web' };
    const { status, body } = await saveRule({ ...change, repository_id: '0', events: ['Push'] });
    expect([status, valueAt(body, 'errors')]).toEqual([
      400,
      {
        'refs.0': expect.stringMatching(/^must begin with refs\/, such as refs\/heads\/main; .* \[input: main\]$/u),
        'refs.1': expect.stringContaining('** only after the last one'),
        'workflows.0': expect.stringContaining('must begin with .github/workflows/'),
        issuer: expect.stringContaining('must be an http(s) URL'),
        repository: expect.stringContaining('must be owner/name'),
        repository_id: expect.stringContaining("must be the repository's number"),
        'events.0': expect.stringContaining('must be the name of an event'),
      },
    ]);
  });

  it('have a maximum length together, because each attempt to log in reads them', async () => {
    await service.createOrganization('large');
    const refs = Array.from({ length: 100 }, (_, index) => `refs/heads/${index}`.padEnd(1000, 'x'));
    const save = (rule: number, change: Readonly<Record<string, unknown>>): Promise<Called> =>
      administer(service, {
        ...{ method: 'PUT', path: `/organizations/large/login-rules/rule-${rule}` },
        json: { repository: 'acme/web', repository_id: '123', refs, events: ['push'], role: 'member', ...change },
      });
    for (let rule = 0; rule < 9; rule += 1) expect((await save(rule, {})).status).toBe(201);
    const { status, text } = await save(9, {});
    expect([status, text]).toEqual([400, expect.stringContaining('no longer than 1000000 characters')]);
    expect((await save(9, { refs: ['refs/heads/main'] })).status).toBe(201);
    expect((await save(9, { refs })).status).toBe(400);
    expect((await save(0, { refs: ['refs/heads/main'] })).status).toBe(200);
    expect((await save(9, { refs })).status).toBe(200);
  });
});

describe('a key from a login', () => {
  const statuses = async (own: string): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, number>();
    for (const { endpoint, request } of everyEndpoint) {
      found.set(`${endpoint.method} ${endpoint.path}`, (await call(service, { ...request('acme'), key: own })).status);
    }
    return found;
  };

  it('opens nothing outside of its flows and environments, at any endpoint', async () => {
    await saveRule({ flows: ['another-flow'], environments: ['another-environment'] });
    const refused = await statuses(await logIn());
    refused.forEach((status, endpoint) => {
      expect([endpoint, status]).toEqual([endpoint, 403]);
    });
  });

  it('opens what is in its flows and environments', async () => {
    await saveRule({ flows: ['web'], environments: ['prod'] });
    const opened = [...(await statuses(await logIn()))].filter(([, status]) => status < 300).map(([name]) => name);
    expect(opened).toEqual(
      expect.arrayContaining([
        'PUT /flows/{org}',
        'PUT /environments/{org}',
        'PUT /environments/{org}/{env_name}/report/K8S',
        'POST /attestations/{org}/{flow_name}/trail/{trail_name}/sonar',
        'GET /attestations/{org}/{flow_name}',
        'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}',
        'GET /snapshots/{org}/{env_name}',
        'GET /artifacts/{org}',
        'GET /env-diff/{org}',
      ]),
    );
    // They are about the whole organization.
    expect(opened).not.toContain('PUT /policies/{org}');
    expect(opened).not.toContain('GET /flows/{org}');
    expect(opened).not.toContain('GET /search/{org}/sha/{digits}');
  });

  it('learns nothing about other flows from an assertion in its environment', async () => {
    const flow = { name: 'secret', description: '', visibility: 'private', template: ['artifact'] };
    await call(service, { method: 'PUT', path: '/flows/acme', json: flow });
    await call(service, { method: 'POST', path: '/artifacts/acme/secret', json: sampleArtifact() });
    await saveRule({ flows: ['web'], environments: ['prod'] });
    const path = `/asserts/acme/fingerprint/${sampleArtifact().fingerprint}?environment_name=prod`;
    const { status, text } = await call(service, { path, key: await logIn() });
    expect([status, text]).toEqual([200, expect.not.stringContaining('secret')]);
    expect((await call(service, { path })).text).toContain('secret');
    await saveRule({ flows: [], environments: ['prod'] });
    // As if it did not exist.
    expect((await call(service, { path, key: await logIn() })).status).toBe(404);
  });

  it('sees no verdicts of other environments on pages', async () => {
    const page = async (path: string, own: string): Promise<string> =>
      (await call(service, { at: service.url, path, key: own })).text;
    const artifact = `/acme/flows/web/artifacts/${sampleArtifact().fingerprint}`;
    await saveRule({ flows: ['web'], environments: [] });
    const own = await logIn();
    expect(await page(artifact, service.apiKey)).toContain('Policies of prod');
    expect(await page(artifact, own)).not.toContain('Policies of prod');
    expect(await page('/', service.apiKey)).toMatch(/not compliant/iu);
    expect(await page('/', own)).not.toMatch(/not compliant/iu);
    await saveRule({ flows: ['web'], environments: ['prod'] });
    expect(await page(artifact, await logIn())).toContain('Policies of prod');
  });

  it('has the role of its rule, and opens no other organization', async () => {
    await service.createOrganization('other');
    await saveRule({ role: 'reader' });
    const own = await logIn();
    expect((await call(service, { path: '/flows/acme/web', key: own })).status).toBe(200);
    expect((await call(service, { method: 'PUT', path: '/flows/acme', json: {}, key: own })).status).toBe(403);
    expect((await call(service, { path: '/flows/other', key: own })).status).toBe(403);
  });

  it('ends with a change of its rule, but not with the same rule declared again', async () => {
    const own = await logIn();
    const read = async (): Promise<number> => (await call(service, { path: '/flows/acme/web', key: own })).status;
    expect((await saveRule()).status).toBe(200);
    expect(await read()).toBe(200);
    await saveRule({ role: 'reader' });
    expect(await read()).toBe(401);
    const again = await logIn();
    expect((await administer(service, { method: 'DELETE', path: rulePath })).status).toBe(200);
    expect((await call(service, { path: '/flows/acme/web', key: again })).status).toBe(401);
    expect((await logInWith(await token())).status).toBe(401);
  });
});

describe('the audit log', () => {
  it('has the logins, the refusals and who changed the rules', async () => {
    const id = keyIdOf(await logIn());
    await logInWith(await token({ ref: 'refs/heads/feature' }));
    await saveRule({ role: 'reader' });
    const { body } = await call(service, { path: '/organizations/acme/audit-log?per_page=100' });
    const events = listAt(body, 'data');
    const latest = (type: string): unknown => events.find((event) => textAt(event, 'type') === type);
    expect(latest('login_rule_saved')).toMatchObject({ actor: 'admin', subject: 'login rule deploy' });
    expect(latest('login')).toMatchObject({
      ...{ actor: 'workflow:acme/web', subject: `key ${id}`, details: { run_id: '4711' } },
    });
    expect(events.filter((event) => textAt(event, 'subject') === `key ${id}`)).toMatchObject([
      {
        ...{ type: 'key_revoked', actor: 'admin' },
        details: { owner: 'workflow:acme/web', cause: 'login rule deploy was changed' },
      },
      { type: 'login' },
    ]);
    const logins = await call(service, { path: '/organizations/acme/audit-log?type=login&per_page=1' });
    expect(listAt(logins.body, 'data')).toHaveLength(1);
  });
});
