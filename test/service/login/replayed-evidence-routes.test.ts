import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listVerdicts, pod, provenancePolicy, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { type LoginFixture, startLoginFixture } from '../../support/login-fixture.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attestationForm, fingerprintOf, sampleArtifact } from '../../support/service-samples.ts';

let fixture: LoginFixture;
/** Keys that count for all environments: of a run for `main` that may define, and of an admin. */
let keys: readonly [string, string];
let count = 0;
type Marks = Readonly<Record<string, string>>;
const reviewed: Marks = { 'replayed-evidence': '?1' };
const unreviewed: Marks = { ...reviewed, 'unreviewed-evidence': '?1' };
beforeAll(async () => {
  fixture = await startLoginFixture();
  await fixture.saveRule({ permissions: ['record', 'define'] });
  await savePolicy(fixture.service, 'provenance', provenancePolicy);
  keys = [await fixture.logIn(), fixture.service.apiKey];
});
afterAll(() => fixture.stop());

/** Each test has an environment of its own, in which the artifact runs. */
beforeEach(async () => {
  count += 1;
  const name = `production-${count}`;
  await saveEnvironment(fixture.service, name, { policies: ['provenance'] });
  const json = { artifacts: [pod('web-1', { web: `${count}abc` })] };
  await call(fixture.service, { method: 'PUT', path: `/environments/acme/${name}/report/K8S`, json });
});

/** Reports the artifact as `replay` does, and returns the verdict of its environment. */
async function replay(key: string, headers: Marks): Promise<unknown> {
  const json = sampleArtifact({ fingerprint: fingerprintOf(`${count}abc`) });
  const sent = await call(fixture.service, { method: 'POST', path: '/artifacts/acme/web', json, key, headers });
  expect(sent.status).toBe(201);
  return (await listVerdicts(fixture.service, `production-${count}`)).at(-1);
}

const beginTrail = (key: string, headers: Marks): Promise<Called> => {
  const template = { part: 'template_file', name: 'template.yml', content: 'version: 1\n' };
  const form = attestationForm({ name: `trail-${count}` }, template);
  return call(fixture.service, { method: 'PUT', path: '/trails/acme/web', form, key, headers });
};

describe('evidence of an earlier run', () => {
  it('counts for no environment if unreviewed code wrote it, whoever delivers it', async () => {
    for (const key of keys) {
      expect(await replay(key, unreviewed)).toBe(false);
      expect(await beginTrail(key, unreviewed)).toMatchObject({
        status: 403,
        body: {
          errors: { authorization: expect.stringContaining('may not have had the code of the branch of the replay') },
        },
      });
    }
  });

  it('does not stand for what its run sends again with the same key', async () => {
    const sent = { 'idempotency-key': `"run-${count}"` };
    expect(await replay(keys[0], { ...sent, ...unreviewed })).toBe(false);
    expect(await replay(keys[0], { ...sent, ...unreviewed })).toBe(false);
    expect(await replay(keys[0], sent)).toBe(true);
  });

  it('counts like that of the run that delivers it if its code was reviewed', async () => {
    for (const [index, key] of keys.entries()) {
      expect((await beginTrail(key, reviewed)).status).toBe(index === 0 ? 201 : 200);
    }
    expect(await replay(keys[0], reviewed)).toBe(true);
  });
});
