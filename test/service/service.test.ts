import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/runtime/clock.ts';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { formatApiKey } from '../../src/service/account/api-key.ts';
import { type RunningService, type ServiceOptions, startService } from '../../src/service/service.ts';
import { rawExchange } from '../support/raw-exchange.ts';
import { startTestService } from '../support/service.ts';
import { call, mappingOf } from '../support/service-call.ts';
import { attestationForm, report, sampleAttestation, saveFlow, stateOf } from '../support/service-samples.ts';

describe('a service', () => {
  let dataFolder: string;
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-data-'));
  });
  afterEach(async () => {
    await rm(dataFolder, { recursive: true });
  });

  const logged: string[] = [];
  const start = (options: Partial<ServiceOptions> = {}, now = 1_700_000_000_000): Promise<RunningService> =>
    startService(
      { host: '127.0.0.1', port: 0, dataFolder, ...options },
      {
        now: () => now,
        monotonic: () => 0,
        after: systemClock.after.bind(systemClock),
        randomBytes: (size) => randomBytes(size),
        log: { info: (line) => logged.push(line), error: () => undefined },
      },
    );

  it('still has all data after a restart', async () => {
    const first = await startTestService({ dataFolder });
    await saveFlow(first);
    await report(first);
    const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
    await call(first, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form });
    const key = await first.createKey('reader');
    await first.stop();

    const second = await startTestService({ dataFolder });
    expect(await stateOf(second)).toBe('COMPLIANT');
    const artifact = await call(second, { path: '/artifacts/acme/web/fingerprint/abcdef', key });
    const page = String(valueAt(mappingOf(artifact), 'evidence', 'sonar', 'html_url'));
    expect((await call(second, { at: page, path: '/attachment' })).text).toBe('a file');
    expect((await saveFlow(second)).status).toBe(200);
    await second.stop();
  });

  it('locks its data folder', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow('in use by another process');
    await first.stop();
    await (await start()).stop();
  });

  it('leaves nothing open if it cannot listen', async () => {
    const other = await start();
    const elsewhere = join(dataFolder, 'elsewhere');
    const port = Number(new URL(other.url).port);
    await expect(start({ port, dataFolder: elsewhere })).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use by another program; stop that, or choose another port with --port`,
    );
    await (await start({ dataFolder: elsewhere })).stop();
    await other.stop();
  });

  it('creates the first key only once it can listen, because a key that nobody was shown would be lost', async () => {
    const other = await start();
    const options = { dataFolder: join(dataFolder, 'elsewhere'), first: { org: 'acme' } };
    await expect(start({ ...options, port: Number(new URL(other.url).port) })).rejects.toThrow('is in use');
    const next = await start(options);
    expect(next.generatedKey).toBeDefined();
    await next.stop();
    await other.stop();
  });

  it('says what to do if it cannot listen on the address', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toThrow(
      'this machine does not have the address 192.0.2.1; choose another with --host',
    );
  });

  it('generates a first key once, and accepts the operator’s own at every start', async () => {
    const key = { id: 'own1', secret: 'x'.repeat(40) };
    const generated = await start({ first: { org: 'acme' } });
    expect(generated.generatedKey).toMatch(/^compkey-/u);
    await generated.stop();
    for (const first of [{ org: 'acme' }, { org: 'acme', key }, { org: 'acme', key }]) {
      const again = await start({ first });
      expect(again.generatedKey).toBeUndefined();
      await again.stop();
    }
    await expect(start({ first: { org: 'acme', key: { id: 'own1', secret: 'y'.repeat(40) } } })).rejects.toThrow(
      'another key',
    );
    await expect(start({ first: { org: 'other', key } })).rejects.toThrow('another key');
  });

  it('does not renew the operator’s own key, and says in the log that it expires soon or has expired', async () => {
    const first = { org: 'acme', key: { id: 'own1', secret: 'x'.repeat(40) } };
    const day = 86_400_000;
    for (const days of [0, 334, 336, 366]) {
      logged.splice(0);
      const service = await start({ first }, 1_700_000_000_000 + days * day);
      const { status } = await fetch(`${service.baseUrl}/flows/acme`, {
        headers: { authorization: `Bearer ${formatApiKey(first.key)}` },
      });
      await service.stop();
      const lines = logged.filter((line) => line.includes('--key'));
      const ends = days === 336 ? 'expires' : 'expired';
      const remedy =
        'set --key (COMPLIANCE_SERVICE_KEY) to a new key, or create one with: npm run service -- create-key';
      const line = `the key of organization acme in --key ${ends} on 2024-11-13T22:13:20Z; ${remedy} --org acme`;
      expect([days, status, lines]).toEqual([days, days === 366 ? 401 : 200, days < 335 ? [] : [line]]);
      expect(logged.some((words) => words.includes('admins'))).toBe(days > 335);
    }
    const next = { org: 'acme', key: { id: 'own2', secret: 'y'.repeat(40) } };
    logged.splice(0);
    const service = await start({ first: next }, 1_700_000_000_000 + 367 * day);
    await service.stop();
    expect(logged).toEqual([]);
  });

  it('gives the first keys of two organizations to two users, so that neither key is valid for both', async () => {
    const keys = ['one', 'two', 'three'].map((org) => ({
      org,
      key: { id: `${org}0`, secret: org.slice(0, 1).repeat(40) },
    }));
    for (const first of keys) await (await start({ first })).stop();
    const service = await start({ first: keys[0] });
    for (const { key } of keys) {
      const statuses = keys.map(async ({ org }) => {
        const answer = await fetch(`${service.baseUrl}/service-accounts/${org}`, {
          headers: { authorization: `Bearer ${formatApiKey(key)}` },
        });
        return answer.status;
      });
      expect((await Promise.all(statuses)).sort()).toEqual([200, 403, 403]);
    }
    await service.stop();
  });

  it('puts its public address into links', async () => {
    const service = await startTestService({ dataFolder, options: { publicUrl: 'https://compliance.example.com/x' } });
    await saveFlow(service);
    await report(service);
    const { html_url: page, api_url: answer } = mappingOf(
      await call(service, { path: '/artifacts/acme/web/fingerprint/abcdef' }),
    );
    expect(page).toMatch(/^https:\/\/compliance\.example\.com\/x\/acme\/flows\/web\/artifacts\//);
    expect(answer).toMatch(/^https:\/\/compliance\.example\.com\/x\/api\/v2\/artifacts\/acme\/web\/fingerprint\//);
    await service.stop();
  });

  it('finishes current requests before it stops, and accepts no new ones', async () => {
    const service = await startTestService({ dataFolder });
    await saveFlow(service);
    const answers = Array.from({ length: 20 }, () => report(service));
    await Promise.race(answers);
    const stopped = service.stop();
    const settled = await Promise.allSettled(answers);
    await stopped;
    for (const each of settled) if (each.status === 'fulfilled') expect(each.value.status).toBe(201);
    await expect(saveFlow(service)).rejects.toThrow();
  });

  it('does not wait forever for a silent client', async () => {
    const timeouts = { head: 60_000, request: 60_000, response: 60_000, idle: 60_000, stop: 20 };
    const service = await startTestService({ dataFolder, options: { timeouts } });
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise<void>((resolve) => {
      socket
        .on('error', () => undefined)
        .on('close', () => {
          resolve();
        });
    });
    socket.write(`PUT /api/v2/flows/acme HTTP/1.1\r\nauthorization: Bearer ${service.apiKey}\r\n`);
    socket.write('content-type: application/json\r\ncontent-length: 9\r\n\r\n{');
    await rawExchange(service.url, 'GET /ready HTTP/1.1\r\nconnection: close\r\n\r\n');
    await service.stop();
    await closed;
  });

  it('can be stopped twice', async () => {
    const service = await start();
    await service.stop();
    await service.stop();
  });
});
