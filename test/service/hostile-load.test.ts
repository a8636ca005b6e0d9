import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { policyForm } from '../support/environment-samples.ts';
import { attestationForm, fingerprintOf, sampleAttestation } from '../support/service-samples.ts';
import { startServiceProcess, type ServiceProcess } from '../support/service-process.ts';

const mebi = 1024 * 1024;
const key = `first0key_${'k'.repeat(43)}`;
const schema = '_schema: https://example.com/v1\n';
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

interface Message {
  readonly method: string;
  readonly body: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request and answers its status, or what went wrong with the connection. */
type Send = (path: string, message: Message) => Promise<number | string>;

function json(method: string, text: string): Message {
  return { method, body: text, headers: { 'content-type': 'application/json' } };
}

function attestation(userData: string): Message {
  const text = JSON.stringify({ ...sampleAttestation('OK'), user_data: { here: 0 } }).replace('"here":0', userData);
  return { method: 'POST', body: attestationForm(text) };
}

function policy(content: string): Message {
  return { method: 'PUT', body: policyForm({ name: 'hostile' }, { content }) };
}

function report(pods: string): Message {
  return json('PUT', `{"artifacts":[${pods}]}`);
}

const attestations = '/attestations/acme/web/trail/main/sonar';
const reports = '/environments/acme/prod/report/K8S';
const image = (name: string, digits: string): string =>
  `{"podName":"a","namespace":"b","creationTimestamp":1,"digests":{"${name}":"${fingerprintOf(digits)}"}}`;

/** Fifty requests, each of which once took all of the memory or held everybody up. */
const hostile: readonly (readonly [path: string, request: () => Message])[] = [
  ...numbers(6).map(
    () => [attestations, () => attestation(`"a":${'['.repeat(58)}0${',0'.repeat(500_000)}${']'.repeat(58)}`)] as const,
  ),
  ...numbers(6).map(() => [attestations, () => attestation(`"a":[{}${',{}'.repeat(330_000)}]`)] as const),
  ...numbers(4).map(
    () =>
      [
        attestations,
        () =>
          attestation(
            numbers(45_000)
              .map((index) => `"k${index}":{}`)
              .join(),
          ),
      ] as const,
  ),
  ...numbers(6).map(() => ['/policies/acme', () => policy(`${schema}a: [${'1,'.repeat(5 * mebi - 100)}]`)] as const),
  ...numbers(4).map(() => ['/policies/acme', () => policy('---\n'.repeat(2.5 * mebi))] as const),
  ...numbers(4).map(() => ['/policies/acme', () => policy(`x: &x [1]\ny: [${'*x,'.repeat(3 * mebi)}]`)] as const),
  ...numbers(6).map(() => [reports, () => report(`{}${',{}'.repeat(340_000)}`)] as const),
  ...numbers(7).map(
    (turn) =>
      [
        reports,
        () =>
          report(
            numbers(900)
              .map((index) => image(`${'a'.repeat(900)}${turn}-${index}`, index.toString(16)))
              .join(),
          ),
      ] as const,
  ),
  ...numbers(7).map(
    (turn) =>
      [
        reports,
        () =>
          report(
            numbers(4000)
              .map((index) => image(`i${turn}-${index}`, index.toString(16)))
              .join(),
          ),
      ] as const,
  ),
];

describe('a service with a heap of 256 MB', () => {
  let folder: string;
  let service: ServiceProcess;
  let send: Send;
  const readers: Socket[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-hostile-'));
    service = await startServiceProcess(['--port', '0', '--data', folder, '--org', 'acme', '--key', key], {
      NODE_OPTIONS: '--max-old-space-size=256',
    });
    send = async (path, { headers = {}, ...message }) => {
      try {
        const answer = await fetch(service.baseUrl + path, {
          ...message,
          headers: { ...headers, authorization: `Bearer ${key}` },
        });
        await answer.arrayBuffer();
        return answer.status;
      } catch (error) {
        return error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
      }
    };
    const prepared = [
      await send('/flows/acme', json('PUT', '{"name":"web","description":"","template":[]}')),
      await send('/environments/acme', json('PUT', '{"name":"prod","type":"K8S"}')),
      await send('/policies/acme', {
        method: 'PUT',
        body: policyForm(
          { name: 'slow' },
          {
            content: `${schema}artifacts:\n  provenance:\n    required: true\n    exceptions:\n${numbers(20)
              .map((index) => `      - if: \${{ matches(artifact.name, "(a|b){1,40}c${index}") }}\n`)
              .join('')}`,
          },
        ),
      }),
      await send('/environments/acme/prod/policies', json('POST', '{"policy_names":["slow"]}')),
    ];
    expect(prepared).toEqual([201, 201, 201, 201]);
    for (let index = 0; index < 7; index += 1) {
      expect(await send(attestations, attestation(`"large":"${'x'.repeat(mebi - 4096)}"`))).toBe(201);
    }
  }, 60_000);
  afterAll(async () => {
    for (const socket of readers) socket.destroy();
    service.child.kill();
    await service.ended();
    await rm(folder, { recursive: true });
  });

  /** Asks for a large page, and never reads it. */
  const askWithoutReading = (): void => {
    const { hostname, port, pathname } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.pause();
    const head = `GET ${pathname}/attestations/acme/web?per_page=7 HTTP/1.1`;
    socket.write(`${head}\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
    readers.push(socket);
  };

  it('survives fifty hostile requests at once, and says that it is ready throughout', async () => {
    for (let index = 0; index < 10; index += 1) askWithoutReading();
    let open = hostile.length;
    const statuses = Promise.all(
      hostile.map(async ([path, request]) => {
        const status = await send(path, request());
        open -= 1;
        return status;
      }),
    );
    const ready = { during: 0, slowest: 0 };
    while (open > 0) {
      const begun = performance.now();
      const answer = await fetch(new URL('/ready', service.baseUrl));
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      ready.slowest = Math.max(ready.slowest, performance.now() - begun);
      ready.during += open > 0 ? 1 : 0;
    }
    // Each is refused or done, and none is a fault of the service.
    expect((await statuses).filter((status) => ![200, 201, 400, 413, 503].includes(Number(status)))).toEqual([]);
    expect(ready.during).toBeGreaterThan(0);
    // Far beyond what is meant, because the machine may be busy; `npm run bench` shows the figure.
    expect(ready.slowest).toBeLessThan(10_000);
    expect(await send('/flows/acme', json('PUT', '{"name":"api","description":"","template":[]}'))).toBe(201);
    expect(service.child.exitCode).toBe(null);
    expect(service.output()).not.toContain('failed');
  }, 120_000);
});
