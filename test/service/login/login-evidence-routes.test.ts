import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { type LoginFixture, startLoginFixture } from '../../support/login-fixture.ts';
import type { TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attestationForm, sampleArtifact, sampleAttestation } from '../../support/service-samples.ts';

let fixture: LoginFixture;
let service: TestService;
beforeAll(async () => {
  fixture = await startLoginFixture();
  ({ service } = fixture);
});
afterAll(() => fixture.stop());
const saveRule: LoginFixture['saveRule'] = (change) => fixture.saveRule(change);
const logIn: LoginFixture['logIn'] = (claims) => fixture.logIn(claims);

beforeEach(async () => {
  fixture.clock.offset += 60_000;
  await saveRule();
});

describe('evidence of a run that logged in', () => {
  const github = { repository: 'acme/web', run_id: '4711', run_attempt: '1', event_name: 'push', workflow: 'CI' };
  const report = (own: string, data: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Called> => {
    const json = { ...sampleArtifact(), user_data: { github: data } };
    return call(service, { method: 'POST', path: '/artifacts/acme/web', json, key: own, headers });
  };
  const provenOf = async (path: string): Promise<unknown> => {
    const { body } = await call(service, { path });
    return valueAt(listAt(body, 'data')[0] ?? body, 'proven');
  };
  const artifactPath = `/artifacts/acme/web/fingerprint/${sampleArtifact().fingerprint}`;

  it('has what the token proved beside what it says of itself', async () => {
    const own = await logIn();
    const form = attestationForm({ ...sampleAttestation('OK'), user_data: { github } });
    const attested = await call(service, {
      ...{ method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form, key: own },
    });
    const trail = new FormData();
    trail.set('data_json', JSON.stringify({ name: 'main', user_data: { github } }));
    const begun = await call(service, { method: 'PUT', path: '/trails/acme/web', form: trail, key: own });
    expect([attested.status, begun.status, (await report(own, github)).status]).toEqual([201, 200, 201]);
    for (const path of ['/attestations/acme/web', '/trails/acme/web/main', artifactPath]) {
      expect([path, await provenOf(path)]).toEqual([
        path,
        expect.objectContaining({ repository_id: '123', ref: 'refs/heads/main' }),
      ]);
    }
    expect((await call(service, { path: '/attestations/acme/web' })).text).toContain(
      '"reported_by":"workflow:acme/web"',
    );
  });

  it('has it on its pages, too', async () => {
    const own = await logIn();
    await report(own, github);
    const form = attestationForm({ ...sampleAttestation('OK'), user_data: { github } });
    await call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form, key: own });
    const trail = new FormData();
    trail.set('data_json', JSON.stringify({ name: 'main' }));
    await call(service, { method: 'PUT', path: '/trails/acme/web', form: trail, key: own });
    const { body } = await call(service, { path: '/attestations/acme/web' });
    const artifact = await call(service, { path: artifactPath });
    const addresses = [listAt(body, 'data')[0], artifact.body].map((record) => textAt(record, 'html_url') ?? '');
    for (const at of [...addresses, `${service.url}/acme/flows/web/trails/main`]) {
      const page = await call(service, { at, path: '' });
      expect([at, page.status, page.text]).toEqual([at, 200, expect.stringContaining('Proven by the identity token')]);
    }
  });

  it('has no proof if it is sent with a stored key, also if a run had begun the trail', async () => {
    await call(service, { method: 'POST', path: '/artifacts/acme/web', json: sampleArtifact() });
    const trail = new FormData();
    trail.set('data_json', JSON.stringify({ name: 'main' }));
    await call(service, { method: 'PUT', path: '/trails/acme/web', form: trail });
    expect([await provenOf(artifactPath), await provenOf('/trails/acme/web/main')]).toEqual([undefined, undefined]);
  });

  it('is refused if it says that it comes from another run or repository', async () => {
    const own = await logIn();
    const { status, body } = await report(own, { ...github, run_id: '1', repository: 'eve/web' });
    expect(status).toBe(400);
    expect(valueAt(body, 'errors')).toEqual({
      'user_data.github.run_id': 'must be 4711, as the identity token says',
      'user_data.github.repository': 'must be acme/web, as the identity token says',
    });
  });

  it('may come from an earlier run if it is delivered later, and is recorded as that', async () => {
    const own = await logIn();
    const replayed = { 'replayed-evidence': '?1' };
    expect((await report(own, { ...github, repository: 'eve/web' }, replayed)).status).toBe(400);
    expect((await report(own, { ...github, run_id: '1' }, replayed)).status).toBe(201);
    expect(await provenOf(artifactPath)).toMatchObject({ is_replay: true, run_id: '4711' });
  });

  it('has the commit of a pull request as the merge commit that it is', async () => {
    await saveRule({ events: ['pull_request'], refs: ['refs/pull/*/merge'], private_pull_requests: true });
    const own = await logIn({ event_name: 'pull_request', ref: 'refs/pull/7/merge', sha: 'c'.repeat(40) });
    expect((await report(own, { ...github, event_name: 'pull_request' })).status).toBe(201);
    expect(await provenOf(artifactPath)).toMatchObject({ merge_commit: 'c'.repeat(40) });
    expect(await provenOf(artifactPath)).not.toHaveProperty('sha');
  });
});
