import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isMapping } from '../../src/runtime/untrusted-data.ts';
import { itWithSignals } from '../support/platform.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { attestationForm, sampleAttestation, sampleFlow } from '../support/service-samples.ts';

const key = `own1_${'x'.repeat(40)}`;
const headers = { authorization: `Bearer ${key}` };
// Windows has no signals; a process there is ended as by SIGKILL.
const adminKey = '5f0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d';

const asProcess1 = ['--map-root-user', '--pid', '--fork', '--kill-child'];
const itInContainers = spawnSync('unshare', [...asProcess1, 'true']).status === 0 ? it : it.skip;

describe('the command of the service', () => {
  let folder: string;
  let running: ServiceProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-command-'));
  });
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.ended();
    await rm(folder, { recursive: true });
  });

  const start = async (...words: string[]): Promise<ServiceProcess> => {
    running = await startServiceProcess(['--port', '0', '--data', folder, '--org', 'acme', ...words]);
    return running;
  };
  const putFlow = (service: ServiceProcess, name: string): Promise<Response> =>
    fetch(`${service.baseUrl}/flows/acme`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(sampleFlow({ name })),
    });

  itWithSignals(
    'prints where it listens, writes a generated key to a file once, and ends with 0 after SIGTERM',
    async () => {
      const first = await start();
      const path = join(folder, 'api-key-of-acme.txt');
      expect(first.output()).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z compliance service \d+\.\d+\.\d+, Node\.js v\d/u);
      expect(first.output()).toContain(` open ${new URL('/', first.baseUrl).href} in a browser `);
      expect(first.output()).toContain(
        `the API key of acme is in ${path}; store it where it is used, and delete the file`,
      );
      const generated = await readFile(path, 'utf8');
      expect(generated).toMatch(/^compkey-[0-9a-f]{16}_\S{43}\n$/);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(first.output()).not.toContain(generated.trim().slice(generated.indexOf('_') + 1));
      expect(first.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v2$/);
      expect((await fetch(new URL('/ready', first.baseUrl))).status).toBe(200);
      first.child.kill('SIGTERM');
      expect(await first.ended()).toBe(0);
      const second = await start();
      expect(second.output()).toContain(`an API key is in ${path}; store it where it is used, and delete the file`);
      expect(await readFile(path, 'utf8')).toBe(generated);
      second.child.kill('SIGINT');
      expect(await second.ended()).toBe(0);
    },
  );

  itWithSignals('goes on if nothing reads its output any more', async () => {
    const service = await start();
    service.child.stdout?.destroy();
    service.child.stderr?.destroy();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      // Each is a line in the log.
      expect((await putFlow(service, 'web')).status).toBe(401);
    }
    service.child.kill('SIGTERM');
    expect(await service.ended()).toBe(0);
  });

  itWithSignals('answers what it has begun when SIGTERM comes', async () => {
    const service = await start('--key', key);
    const answers = Array.from({ length: 20 }, (_, index) => putFlow(service, `flow-${index}`));
    await Promise.race(answers);
    service.child.kill('SIGTERM');
    const settled = await Promise.allSettled(answers);
    expect(await service.ended()).toBe(0);
    const answered = settled.filter((each) => each.status === 'fulfilled');
    expect(answered.map(({ value }) => value.status)).toEqual(answered.map(() => 201));
  });

  itInContainers('as process 1 of a container, ends when SIGTERM comes while it starts', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const main = fileURLToPath(new URL('../../src/service/main.ts', import.meta.url));
    const words = ['--data', folder, '--database', `postgres://user@127.0.0.1:${port}/compliance?sslmode=disable`];
    const container = spawn('unshare', [...asProcess1, process.execPath, main, ...words]);
    const ended = once(container, 'exit');
    const [connection] = (await once(silent, 'connection')) as [Socket];
    const children = await readFile(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8');
    process.kill(Number(children), 'SIGTERM');
    expect(await ended).toEqual([143, null]);
    connection.destroy();
    silent.close();
  });

  it('still has every acknowledged write after SIGKILL, and no partial attachment', async () => {
    const service = await start('--key', key);
    await putFlow(service, 'web');
    const acknowledged: string[] = [];
    const writer = async (number: number): Promise<void> => {
      for (let turn = 0; ; turn += 1) {
        const trail = `trail-${number}-${turn}`;
        const form = attestationForm(sampleAttestation('OK'), { content: `${trail} `.repeat(5000) });
        const url = `${service.baseUrl}/attestations/acme/web/trail/${trail}/sonar`;
        const { status } = await fetch(url, { method: 'POST', headers, body: form });
        if (status === 201) acknowledged.push(trail);
        if (acknowledged.length === 40) service.child.kill('SIGKILL');
      }
    };
    await Promise.allSettled(Array.from({ length: 8 }, (_, number) => writer(number)));
    await service.ended();
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);

    const again = await start('--key', key);
    for (const trail of acknowledged) {
      const page = await fetch(new URL(`/acme/flows/web/trails/${trail}`, again.baseUrl), { headers });
      const [, attestation] = /href="([^"]+\/attestations\/[^"]+)"/.exec(await page.text()) ?? [];
      // The page names the address that the service had before; only its path counts.
      const path = new URL(attestation ?? '', again.baseUrl).pathname;
      const file = await fetch(new URL(`${path}/attachment`, again.baseUrl), { headers });
      expect(await file.text()).toBe(`${trail} `.repeat(5000));
    }
    expect(await readdir(join(folder, 'attachments', 'incoming'))).toEqual([]);
    again.child.kill('SIGKILL');
  });

  it.each([
    [['--port', 'x'], /--port x is not a valid port/],
    [['--unknown'], /Unknown option '--unknown'[\s\S]*Usage:/],
    [['--admin-key', 'short'], /the administration key .* has 5 characters and needs 32 or more/],
    [['--org', 'log'], /^the name log of the organization is reserved/m],
  ])('rejects %j with a reason, and does not start', async (words, message) => {
    await expect(startServiceProcess(['--port', '0', '--data', folder, ...words])).rejects.toThrow(message);
  });

  it('takes its settings from the environment', async () => {
    running = await startServiceProcess([], {
      COMPLIANCE_SERVICE_PORT: '0',
      COMPLIANCE_SERVICE_DATA: folder,
      COMPLIANCE_SERVICE_ORG: 'acme',
      COMPLIANCE_SERVICE_KEY: key,
      COMPLIANCE_SERVICE_ADMIN_KEY: adminKey,
      COMPLIANCE_SERVICE_PUBLIC_URL: 'https://compliance.example.com',
    });
    expect(running.output()).toContain(' open https://compliance.example.com/ in a browser');
    expect((await putFlow(running, 'web')).status).toBe(201);
    const created = await fetch(new URL('/admin/v1/organizations', running.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: '{"name":"new"}',
    });
    expect(isMapping(await created.json())).toBe(true);
    expect(created.status).toBe(201);
    expect(running.output()).not.toContain(key);
    expect(running.output()).not.toContain(adminKey);
  });
});
