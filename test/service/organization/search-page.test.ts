import { expect, it } from '@jest/globals';
import { saveEnvironment } from '../../support/environment-samples.ts';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';

const openOrganization = shareTestService();

it('says that not all may be found if there are many', async () => {
  const service = await openOrganization();
  const { org } = service;
  const note = 'At most 20 of each kind are found. Enter more to find others.';
  const search = async (query: string): Promise<string> =>
    (await call(service, { at: `${service.url}/${org}/search?q=web${query}`, path: '' })).text;
  for (let index = 1; index <= 21; index += 1) {
    expect((await search('')).includes(note)).toBe(index > 20);
    await saveFlow(service, { name: `web-${index}` });
  }
  for (let index = 1; index <= 21; index += 1) await saveEnvironment(service, `web-${index}`);
  expect(JSON.parse(await search('&download=results.json'))).toHaveLength(20 + 20);
});
