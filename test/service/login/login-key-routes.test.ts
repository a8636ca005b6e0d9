import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt } from '../../../src/runtime/untrusted-data.ts';
import { administer, keyIdOf } from '../../support/administration.ts';
import { type LoginFixture, rulePath, startLoginFixture } from '../../support/login-fixture.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attestationForm, sampleAttestation } from '../../support/service-samples.ts';

let fixture: LoginFixture;
beforeEach(async () => {
  fixture = await startLoginFixture();
  await fixture.saveRule();
});
afterEach(() => fixture.stop());

describe('an idempotency key', () => {
  it('that a pull request has used up does not keep the deployment of its repository from recording', async () => {
    const reviews = { events: ['pull_request'], refs: ['refs/pull/*/merge'], private_pull_requests: true };
    await fixture.saveRule({ ...reviews, flows: ['web'] }, 'review');
    const pullRequest = await fixture.logIn({ event_name: 'pull_request', ref: 'refs/pull/7/merge' });
    const record = async (key: string, name: string): Promise<readonly unknown[]> => {
      const form = attestationForm(sampleAttestation('OK', { attestation_name: name }));
      const headers = { 'idempotency-key': '4711-guessed' };
      const sent = { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form, headers, key };
      const answer = await call(fixture.service, sent);
      return [answer.status, answer.headers.get('idempotent-replayed')];
    };
    expect(await record(pullRequest, 'sonar')).toEqual([201, null]);
    // Neither what is the same nor what is not.
    expect(await record(await fixture.logIn(), 'sonar')).toEqual([201, null]);
    expect(await record(pullRequest, 'unit')).toEqual([422, null]);
    // A later login of a run that the same rules admit is the same sender.
    expect(await record(await fixture.logIn(), 'sonar')).toEqual([201, 'true']);
  });
});

describe('the keys of workflow runs', () => {
  const path = '/organizations/acme/login-keys';
  const list = async (query = ''): Promise<Called> => call(fixture.service, { path: `${path}${query}` });
  const revoke = (id: string): Promise<Called> =>
    administer(fixture.service, { method: 'DELETE', path: `${path}/${id}` });
  const read = async (key: string): Promise<number> =>
    (await call(fixture.service, { path: '/flows/acme/web', key })).status;

  it('are listed while they are valid, with the run and its rules', async () => {
    const first = keyIdOf(await fixture.logIn());
    fixture.clock.offset += 1000;
    const second = keyIdOf(await fixture.logIn({ run_id: '4712' }));
    const { body } = await list();
    expect(body).toMatchObject({
      data: [
        { id: second, rules: ['deploy'], proven: { repository: 'acme/web', run_id: '4712' } },
        { id: first, rules: ['deploy'], proven: { run_id: '4711' } },
      ],
      pagination: { page: 1, total: 2 },
    });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect((await list('?per_page=1&page=2')).body).toMatchObject({ data: [{ id: first }] });
    const page = await call(fixture.service, { at: fixture.service.url, path: '/acme/administration' });
    expect(page.text).toContain('Keys of workflow runs');
    expect([page.text.includes(first), page.text.includes('Run 4712, attempt 1')]).toEqual([true, true]);
    fixture.clock.offset += 901_000;
    expect((await list()).body).toMatchObject({ data: [] });
  });

  it('refer to their rules, whether this or an earlier version stored them', async () => {
    await fixture.saveRule({ flows: ['web'] });
    const key = await fixture.logIn();
    const select = `SELECT login FROM api_keys WHERE id = '${keyIdOf(key)}'`;
    const stored = String((await fixture.service.storage.query(select, []))[0]?.['login']);
    expect(stored).toContain('{"grants":[{"rule":"deploy"}],');
    const earlier = stored.replace('{"rule":"deploy"}', '{"rule":"deploy","role":"member","flows":["web"]}');
    await fixture.service.storage.query('UPDATE api_keys SET login = $1', [earlier]);
    const other = (await call(fixture.service, { path: '/flows/acme/other', key })).status;
    expect([await read(key), other]).toEqual([200, 403]);
    await fixture.saveRule({ flows: ['other'] });
    expect(await read(key)).toBe(401);
  });

  it('are revoked one by one, which the audit log says', async () => {
    const [key, other] = [await fixture.logIn(), await fixture.logIn()];
    expect([await read(key), await read(other)]).toEqual([200, 200]);
    expect(await revoke(keyIdOf(key))).toMatchObject({ status: 200, body: 'revoked' });
    expect([await read(key), await read(other)]).toEqual([401, 200]);
    expect(listAt((await list()).body, 'data')).toMatchObject([{ id: keyIdOf(other) }]);
    const events = await call(fixture.service, { path: '/organizations/acme/audit-log?type=key_revoked' });
    expect(listAt(events.body, 'data')).toMatchObject([
      { actor: 'admin', subject: `key ${keyIdOf(key)}`, details: { owner: 'workflow:acme/web' } },
    ]);
    expect((await revoke(keyIdOf(key))).status).toBe(404);
  });

  it('are those of the organization, and no other keys', async () => {
    const own = keyIdOf(await fixture.logIn());
    await fixture.service.createOrganization('other');
    expect((await revoke(keyIdOf(fixture.service.apiKey))).status).toBe(404);
    const foreign = { method: 'DELETE', path: `/organizations/other/login-keys/${own}` };
    expect((await administer(fixture.service, foreign)).status).toBe(404);
    const member = await fixture.service.createKey('member');
    for (const key of [member, await fixture.logIn()]) {
      expect((await call(fixture.service, { path, key })).status).toBe(403);
    }
    expect(listAt((await list()).body, 'data')).toHaveLength(2);
  });
});

describe('a login', () => {
  it('is refused while all rules that admit the run have 2000 valid keys, and not because of other rules', async () => {
    const pullRequest = { event_name: 'pull_request', ref: 'refs/pull/7/merge' };
    const reviews = { events: ['pull_request'], refs: ['refs/pull/*/merge'], private_pull_requests: true };
    await fixture.saveRule(reviews, 'review');
    await fixture.saveRule({ ...reviews, events: ['push', 'pull_request'], refs: ['refs/**'] }, 'any');
    const admitted = async (claims = {}): Promise<number> =>
      (await fixture.logInWith(await fixture.token(claims))).status;
    const id = keyIdOf(await fixture.logIn(pullRequest));
    // As if it had logged in so many times.
    const columns =
      'owner_kind, owner, description, secret_hash, created_at, expires_at, revoked_at, is_limited_to_org, login';
    await fixture.service.storage.query(
      `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1998)
        INSERT INTO api_keys (org, id, ${columns})
        SELECT org, 'repeated' || number, ${columns} FROM api_keys, numbers WHERE id = $1`,
      [id],
    );
    expect(await admitted(pullRequest)).toBe(201);
    const { status, headers, text } = await fixture.logInWith(await fixture.token(pullRequest));
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect(text).toContain('Too many keys of the login rules that admit this run are valid');
    // It has room in the rule `deploy`.
    expect(await admitted()).toBe(201);
    await administer(fixture.service, { method: 'DELETE', path: rulePath });
    expect(await admitted()).toBe(429);
  });
});
