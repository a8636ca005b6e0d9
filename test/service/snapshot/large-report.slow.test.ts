import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { pod, reportPods, saveEnvironment } from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';

/* A large report: 300 images and very many instances. */

const images = 300;
const instances = 15_000;
const podNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `pod-${index}-${'x'.repeat(200)}`);
const imageOf = (index: number): Readonly<Record<string, string>> => {
  const number = index % images;
  return { [`image-${String(number).padStart(3, '0')}`]: number.toString(16).padStart(5, '0') };
};

let service: TestService;
let otherKey: string;
beforeAll(async () => {
  service = await startTestService();
  otherKey = await service.createOrganization('other');
  await saveEnvironment(service, 'prod');
  const pods = podNames(instances).map((name, index) => pod(name, imageOf(index)));
  expect((await reportPods(service, 'prod', ...pods)).status).toBe(201);
  expect((await reportPods(service, 'prod', ...pods.slice(1), pod('more', { more: 'fffff' }))).status).toBe(201);
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
});

const page = (path: string, signal?: AbortSignal): Promise<Response> =>
  fetch(service.url + path, {
    headers: { authorization: `Bearer ${service.apiKey}` },
    ...(signal === undefined ? {} : { signal }),
  });
const environmentPage = '/acme/environments/prod';
const otherRequest = (): Promise<Called> =>
  call(service, { path: `/artifacts/other/web/fingerprint/${'a'.repeat(64)}`, key: otherKey });

it('is shown in part on pages, and as a whole by the API', async () => {
  const text = await (await page(environmentPage)).text();
  expect(text.length).toBeLessThan(100_000);
  expect(text).toContain('image-000');
  expect(text).toMatch(/pod-.*… and 45 more/u);
  const hidden = Number(/(\d+) more are not shown here/.exec(text)?.[1]);
  expect(hidden + text.split('<th scope="row">').length).toBeGreaterThan(images);
  const details = await call(service, { path: '/snapshots/acme/prod/1' });
  const artifacts = valueAt(details.body, 'artifacts') as { readonly pods: object }[];
  expect([artifacts.length, Object.keys(artifacts[0]?.pods ?? {}).length]).toEqual([images, instances / images]);
  const compared = await page('/acme/compare?first=prod%231&second=prod');
  expect(await compared.text()).toContain('In both, with another number of instances');
  const { body } = await call(service, { path: '/env-diff/acme?snappish1=prod%231&snappish2=prod' });
  expect([
    valueAt(valueAt(body, 'snappish2'), 'artifacts'),
    (valueAt(valueAt(body, 'not-changed'), 'artifacts') as unknown[]).length,
  ]).toMatchObject([[{ name: 'more' }], images - 1]);
});

it('does not delay other organizations when many read it', async () => {
  const order: string[] = [];
  const note = async (name: string, response: Promise<{ readonly status: number }>): Promise<void> => {
    const { status } = await response;
    order.push(`${name} ${status}`);
  };
  const pages = Array.from({ length: 40 }, () => note('page', page(environmentPage)));
  const others = Array.from({ length: 3 }, () => note('other', otherRequest()));
  await Promise.all([...pages, ...others]);
  // Those above the limit are rejected at once, and the others answered one after the other.
  expect(order.filter((answer) => answer === 'page 503').length).toBeGreaterThan(0);
  expect(order.slice(-10)).toEqual(Array.from({ length: 10 }, () => 'page 200'));
});

it('is not read for clients that have left', async () => {
  const controller = new AbortController();
  const left = Array.from({ length: 16 }, () => page(environmentPage, controller.signal).catch(() => 'left'));
  // Its answer shows that the requests before it have arrived.
  await otherRequest();
  controller.abort();
  await Promise.all(left);
  await otherRequest();
  expect((await page(environmentPage)).status).toBe(200);
});
