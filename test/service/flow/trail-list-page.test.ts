import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, commitOf, saveFlow } from '../../support/service-samples.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

it('breaks off a download if the flow is renamed meanwhile, rather than ending the list early', async () => {
  await saveFlow(service);
  // So long that the service must wait for the client before it reads the second part of the list.
  const commit = { sha1: commitOf('1'), author: 'Ann', timestamp: 1, message: '€'.repeat(65_536) };
  for (let index = 0; index < 102; index += 1) {
    const form = attestationForm({ name: `trail-${index}`, git_commit_info: commit });
    expect((await call(service, { method: 'PUT', path: '/trails/acme/web', form })).status).toBe(201);
  }
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const response = await fetch(`${service.url}/acme/flows/web?download=trails.json`, { headers });
  const renamed = { method: 'PUT', path: '/flows/acme/web/rename', json: { new_name: 'shop' } } as const;
  expect((await call(service, renamed)).status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
  expect(service.errors).toEqual([expect.stringContaining('trails of acme could not be sent completely')]);
});
