import { expect, it } from '@jest/globals';
import { pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';

const openOrganization = shareTestService();
const read = async (service: TestService): Promise<string> =>
  (await call(service, { at: `${service.url}/${service.org}`, path: '' })).text;

it('says that it is not about all flows if there are many', async () => {
  const service = await openOrganization();
  for (let index = 0; index < 101; index += 1) await saveFlow(service, { name: `web-${index}` });
  const text = await read(service);
  expect(text).toContain('This page is about the first 100 of 101 flows, by name.');
  expect(text).toContain('the latest trail of these flows are compliant');
});

it('counts all environments that need attention', async () => {
  const service = await openOrganization();
  await savePolicy(service, 'strict');
  for (let index = 0; index < 22; index += 1) {
    await saveEnvironment(service, `prod-${index}`, { policies: ['strict'] });
    await reportPods(service, `prod-${index}`, pod('web', { web: 'abcdef' }));
  }
  expect(await read(service)).toContain('And 2 more: see the states of the flows and environments.');
});
