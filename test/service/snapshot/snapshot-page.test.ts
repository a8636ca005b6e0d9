import { expect, it } from '@jest/globals';
import {
  changePolicies,
  pod,
  reportPods,
  saveEnvironment,
  savePolicy,
  snapshotsOf,
} from '../../support/environment-samples.ts';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { report, saveFlow } from '../../support/service-samples.ts';

const openService = shareTestService();

it('says that an artifact of a logical environment was not judged if no member that runs it has policies', async () => {
  const service = await openService();
  await saveFlow(service);
  await report(service);
  await saveEnvironment(service, 'judged');
  await saveEnvironment(service, 'open');
  await saveEnvironment(service, 'both', { type: 'logical', included_environments: ['judged', 'open'] });
  await savePolicy(service, 'strict');
  await changePolicies(service, 'POST', 'judged', ['strict']);
  await reportPods(service, 'judged', pod('web-1', { web: 'abcdef' }));
  await reportPods(service, 'open', pod('shell-1', { shell: '5' }));
  const read = (path: string): ReturnType<typeof call> => call(service, { at: service.url, path });
  const page = `/${service.org}/environments/both`;
  const { text } = await read(page);
  expect(text).toContain('Not judged');
  expect(text).not.toContain('Not compliant');
  expect((await read(`${page}?download=running.json`)).body).toMatchObject([
    { name: 'shell', state: 'unjudged' },
    { name: 'web', state: 'COMPLIANT' },
  ]);
});

it('offers all snapshots of a logical environment, also if its members are too large for one page', async () => {
  const service = await openService();
  const members = ['first', 'second'];
  // More than 4 MiB each.
  const images = Array.from({ length: 1200 }, (_, index) => [`${'x'.repeat(4000)}${index}`, `${index}`] as const);
  const large = Array.from({ length: 12 }, (_, index) =>
    pod(`pod-${index}`, Object.fromEntries(images.slice(index * 100, (index + 1) * 100))),
  );
  for (const name of members) {
    await saveEnvironment(service, name);
    expect((await reportPods(service, name, ...large)).status).toBe(201);
  }
  await saveEnvironment(service, 'all', { type: 'logical', included_environments: members });
  const page = `/${service.org}/environments/all`;
  const read = (path: string): ReturnType<typeof call> => call(service, { at: service.url, path });
  const { text } = await read(page);
  expect(text).toContain('too many artifacts for one page');
  expect(text).toContain('download=snapshots.json');
  expect(await read(`${page}?download=snapshots.json`)).toMatchObject({
    status: 200,
    body: [{ number: 1 }],
  });
});

it('names each member of a logical environment that is not compliant, however many reasons another one has', async () => {
  const service = await openService();
  const members = ['first', 'second'];
  await savePolicy(service, 'strict');
  for (const name of members) await saveEnvironment(service, name, { policies: ['strict'] });
  await saveEnvironment(service, 'quiet');
  await reportPods(service, 'quiet', pod('one', { one: 'b' }));
  await saveEnvironment(service, 'all', { type: 'logical', included_environments: [...members, 'quiet'] });
  const many = Array.from({ length: 101 }, (_, index) => pod(`pod-${index}`, { [`image-${index}`]: `a${index}` }));
  await reportPods(service, 'first', ...many);
  await reportPods(service, 'second', pod('one', { one: 'b' }));
  const { text } = await call(service, { at: `${service.url}/${service.org}/environments/all`, path: '' });
  // The API has at most 100.
  expect(text).toMatch(/<p>\d+ more are not shown here\. The files below have all of them\.<\/p>/u);
  const { body } = await snapshotsOf(service, 'all', '?interval=NOW');
  const value = 'not compliant; its own page says why';
  const html_url = `${service.url}/${service.org}/environments/second`;
  const reasons: unknown = expect.arrayContaining([{ state: 'failed', about: 'second', value, html_url }]);
  expect(body).toEqual([expect.objectContaining({ reasons })]);
  expect(JSON.stringify(body)).not.toContain('quiet');
});
