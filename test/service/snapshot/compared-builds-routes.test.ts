import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { pod, reportPods, saveEnvironment } from '../../support/environment-samples.ts';
import { type LoginFixture, startLoginFixture } from '../../support/login-fixture.ts';
import { call } from '../../support/service-call.ts';
import { fingerprintOf, sampleArtifact } from '../../support/service-samples.ts';

let fixture: LoginFixture;
beforeAll(async () => {
  fixture = await startLoginFixture();
});
afterAll(() => fixture.stop());

it('shows the flow of what runs in both environments only if the report counts for the second', async () => {
  const { service } = fixture;
  await saveEnvironment(service, 'preview');
  await saveEnvironment(service, 'prod');
  await fixture.saveRule({ counts_for_environments: ['preview'] });
  const json = sampleArtifact({ fingerprint: fingerprintOf('abcdef') });
  const key = await fixture.logIn();
  expect((await call(service, { method: 'POST', path: '/artifacts/acme/web', json, key })).status).toBe(201);
  for (const name of ['preview', 'prod']) await reportPods(service, name, pod('web-1', { web: 'abcdef' }));
  const showFlow = async (first: string, second: string): Promise<readonly unknown[]> => {
    const { body } = await call(service, { path: `/env-diff/acme?snappish1=${first}&snappish2=${second}` });
    const query = `first=${first}&second=${second}`;
    const page = await call(service, { at: `${service.url}/acme/compare?${query}`, path: '' });
    const [artifact] = listAt(valueAt(body, 'not-changed'), 'artifacts');
    return [valueAt(artifact, 'flow'), page.text.includes('/flows/web/artifacts/')];
  };
  expect(await showFlow('prod', 'preview')).toEqual(['web', true]);
  expect(await showFlow('preview', 'prod')).toEqual(['', false]);
});
