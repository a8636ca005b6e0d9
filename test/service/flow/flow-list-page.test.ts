import { expect, it } from '@jest/globals';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';

const openOrganization = shareTestService();

it('downloads each flow once while flows are created and archived', async () => {
  const service = await openOrganization();
  const { org, apiKey } = service;
  // So long that the service must wait for the client before it reads the second part of the list.
  const description = '€'.repeat(65_536);
  const names = Array.from({ length: 102 }, (_, index) => `flow-${String(index).padStart(3, '0')}`);
  for (const name of names) await saveFlow(service, { name, description });
  const download = async (change: () => Promise<unknown>): Promise<readonly string[]> => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${service.url}/${org}/flows?download=flows.json`, { headers });
    await change();
    return ((await response.json()) as { readonly name: string }[]).map(({ name }) => name);
  };
  expect(await download(() => saveFlow(service, { name: 'a-new-one' }))).toEqual(names);
  const archive = (): Promise<unknown> =>
    call(service, { method: 'PUT', path: `/flows/${org}/flow-000/archive`, json: {} });
  expect(await download(archive)).toEqual(['a-new-one', ...names]);
});
