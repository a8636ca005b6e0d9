import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  maximumDocumentValues,
  maximumPolicies,
  maximumReportedImages,
  maximumTargets,
  maximumTemplateNames,
} from '../../../../src/contract/limits.ts';
import { defaultTimeouts } from '../../../../src/service/platform/server/server.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { call, type Called } from '../../../support/service-call.ts';
import { attestationForm, sampleAttestation } from '../../../support/service-samples.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  await saveFlow([]);
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
});

const saveFlow = (template: readonly string[]): Promise<Called> =>
  call(service, { method: 'PUT', path: '/flows/acme', json: { name: 'web', description: '', template } });
const attest = (change: Parameters<typeof sampleAttestation>[1] = {}): Promise<Called> => {
  const form = attestationForm(sampleAttestation('OK', change));
  return call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form });
};

describe('the limits of a request', () => {
  it('is the number of keys and values in a document', async () => {
    const values = (count: number): Promise<Called> => attest({ user_data: { list: numbers(count).map(() => 0) } });
    expect((await values(maximumDocumentValues - 200)).status).toBe(201);
    expect(await values(maximumDocumentValues)).toMatchObject({
      status: 400,
      body: { errors: { data_json: 'must not have more than 100000 keys and values' } },
    });
  });

  it('is the length of the field that an error names', async () => {
    const json = { name: 'prod', type: 'K8S', ['k'.repeat(100_000)]: 1 };
    const { status, text } = await call(service, { method: 'PUT', path: '/environments/acme', json });
    expect([status, text.length < 1000]).toEqual([400, true]);
  });

  it('is the number of artifacts that an attestation names', async () => {
    const targets = numbers(maximumTargets).map((index) => `a${index}`);
    expect((await attest({ target_artifacts: targets })).status).toBe(201);
    expect((await attest({ target_artifacts: [...targets, 'more'] })).status).toBe(400);
  });

  it('is the number of names in a template', async () => {
    const names = numbers(maximumTemplateNames).map((index) => `n${index}`);
    expect((await saveFlow([names.join(',')])).status).toBe(200);
    expect(await saveFlow([names.join(','), 'more'])).toMatchObject({
      status: 400,
      body: { errors: { template: 'must not name more than 1000 pieces of evidence' } },
    });
  });

  it('is the number of images in a report', async () => {
    await saveEnvironment(service, 'prod');
    const images = numbers(maximumReportedImages).map((index) => pod('a', { [`i${index}`]: '1' }));
    expect((await reportPods(service, 'prod', ...images)).status).toBe(201);
    expect(await reportPods(service, 'prod', ...images, pod('a', { more: '1' }))).toMatchObject({
      status: 400,
      body: {
        message: 'Invalid report data',
        errors: { artifacts: 'must not have more than 5000 images, by name and digest' },
      },
    });
  });

  it('is the number of policies of an environment', async () => {
    await saveEnvironment(service, 'prod');
    const names = numbers(maximumPolicies).map((index) => `p${index}`);
    for (const name of [...names, 'more']) await savePolicy(service, name);
    expect((await changePolicies(service, 'POST', 'prod', names)).status).toBe(201);
    expect((await changePolicies(service, 'POST', 'prod', names.slice(0, 1))).status).toBe(201);
    expect(await changePolicies(service, 'POST', 'prod', ['more'])).toMatchObject({
      status: 400,
      body: { errors: { policy_names: 'must leave the environment with no more than 20 policies' } },
    });
  });
});

describe('a client that does not read the response', () => {
  it('is disconnected, so that its organization gets responses again', async () => {
    await service.stop();
    service = await startTestService({
      options: {
        timeouts: { ...defaultTimeouts, response: 2000 },
        admission: { perOrganization: 8 * 1024 * 1024, total: 9 * 1024 * 1024 },
      },
    });
    await saveFlow([]);
    for (let index = 0; index < 7; index += 1) {
      expect((await attest({ user_data: { text: 'x'.repeat(1_000_000) } })).status).toBe(201);
    }
    const { hostname, port, pathname } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write(
      `GET ${pathname}/attestations/acme/web HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n\r\n`,
    );
    await once(socket, 'readable');
    const list = (): Promise<Called> => call(service, { path: '/attestations/acme/web' });
    // The first answer counts as long as it waits.
    expect(await list()).toMatchObject({
      status: 503,
      body: { message: 'Too many large requests and responses at the same time; try again later' },
    });
    let status = 503;
    while (status === 503) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      ({ status } = await list());
    }
    expect(status).toBe(200);
    socket.resume();
    await closed;
  }, 20_000);
});
