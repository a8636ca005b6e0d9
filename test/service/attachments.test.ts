import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { startTestService, type TestService, type TestServiceSettings } from '../support/service.ts';
import { call, mappingOf } from '../support/service-call.ts';
import { attestationForm, report, sampleAttestation, saveFlow } from '../support/service-samples.ts';

const day = 24 * 60 * 60 * 1000;

describe('the attachments of a service', () => {
  let dataFolder: string;
  let service: TestService;
  let lines: string[];
  const start = async (settings: TestServiceSettings = {}): Promise<void> => {
    service = await startTestService({ dataFolder, ...settings });
  };
  const startLogged = (settings: TestServiceSettings = {}): Promise<void> => {
    lines = [];
    const log = { info: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
    return start({ ...settings, sources: { log, ...settings.sources } });
  };
  const attach = async (content: Uint8Array<ArrayBuffer>, trail = 'main'): Promise<string> => {
    const form = attestationForm(sampleAttestation('OK'), { content, name: 'report.xml' });
    const path = `/attestations/acme/web/trail/${trail}/sonar`;
    expect((await call(service, { method: 'POST', path, form })).status).toBe(201);
    const digest = createHash('sha256').update(content).digest('hex');
    return join(dataFolder, 'attachments', 'content', digest.slice(0, 2), digest);
  };
  const attachmentFiles = async (name = ''): Promise<readonly string[]> =>
    (await readdir(join(dataFolder, 'attachments', name), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-attachments-'));
    await start();
    await saveFlow(service);
  });
  afterEach(async () => {
    await service.stop();
    await rm(dataFolder, { recursive: true });
  });

  describe('that are read', () => {
    const content = randomBytes(300_000);
    const pageOf = async (): Promise<string> => {
      await report(service);
      const artifact = await call(service, { path: '/artifacts/acme/web/fingerprint/abcdef' });
      return String(valueAt(mappingOf(artifact), 'evidence', 'sonar', 'html_url'));
    };

    it.each([
      ['altered', (path: string) => writeFile(path, randomBytes(300_000))],
      ['truncated', (path: string) => truncate(path, 100_000)],
      ['missing', (path: string) => rm(path)],
    ])('are an error on their page, in the answer and in the log when they are %s', async (fault, damage) => {
      const path = await attach(content);
      const page = await pageOf();
      expect((await call(service, { at: page, path: '' })).text).not.toContain('Error');
      await damage(path);
      const answer = await call(service, { at: page, path: '/attachment' });
      expect(answer.status).toBe(500);
      expect(mappingOf(answer)['message']).toMatch(
        new RegExp(`^The file 'report\\.xml' of attestation '[^']+' is ${fault}: .* SHA-256 [0-9a-f]{64}$`, 'u'),
      );
      const shown = await fetch(page, { headers: { authorization: `Bearer ${service.apiKey}` } });
      expect(shown.status).toBe(500);
      expect(await shown.text()).toContain(`Error: the file is ${fault}.`);
      expect(service.errors.join()).toContain(`is ${fault}`);
    });
  });

  it('say that a removal is not complete if their folder is gone, and can be removed again', async () => {
    await attach(randomBytes(1000));
    const listed = await call(service, { path: '/attestations/acme/web' });
    const path = `/attestations/acme/${textAt(listAt(listed.body, 'data')[0], 'attestation_id') ?? ''}/attachment`;
    const remove = async (): Promise<number> =>
      (await call(service, { method: 'DELETE', path, json: { reason: 'A secret' } })).status;
    const [content, away] = [join(dataFolder, 'attachments', 'content'), join(dataFolder, 'away')];
    await rename(content, away);
    expect(await remove()).toBe(503);
    await rename(away, content);
    expect([await remove(), await attachmentFiles('content')]).toEqual([200, []]);
  });

  describe('at the start', () => {
    it('are all kept when the database was moved aside: the start is refused, and leaves no new database', async () => {
      for (let number = 0; number < 40; number += 1) await attach(randomBytes(100), `t${number}`);
      await service.stop();
      const database = join(dataFolder, 'compliance.sqlite');
      await rename(database, `${database}.aside`);
      // Twice: the first attempt must not leave a database that the second one takes for an old one.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await expect(start()).rejects.toThrow(/the database is new, but .*attachments holds 40 attachments/u);
      }
      expect(await attachmentFiles('content')).toHaveLength(40);
      await rename(`${database}.aside`, database);
      await start();
    });

    it('are all kept when the database is another one', async () => {
      for (let number = 0; number < 5; number += 1) await attach(randomBytes(100), `t${number}`);
      await service.stop();
      const other = await mkdtemp(join(tmpdir(), 'compliance-other-'));
      await (await startTestService({ dataFolder: other })).stop();
      const database = join(dataFolder, 'compliance.sqlite');
      await rename(database, `${database}.aside`);
      await rename(join(other, 'compliance.sqlite'), database);
      await expect(start()).rejects.toThrow(/the database names only 0 of the 5 attachments/u);
      expect(await attachmentFiles('content')).toHaveLength(5);
      await startLogged({ options: { trashUnnamedAttachments: true } });
      expect(lines.join()).toMatch(/moved 5 attachments that no record names to .*trash/u);
      expect(await attachmentFiles('trash')).toHaveLength(5);
      await rm(other, { recursive: true });
    });

    it('go to the trash of the day when they are old and no record names them', async () => {
      const kept = await attach(randomBytes(100));
      await service.stop();
      const content = join(dataFolder, 'attachments', 'content');
      const [old, young] = ['a', 'b'].map((digit) =>
        join(content, kept.slice(-64, -62), kept.slice(-64, -62) + digit.repeat(62)),
      );
      for (const path of [old, young]) await writeFile(path ?? '', 'orphan');
      const now = Date.UTC(2026, 10, 22, 12);
      await utimes(old ?? '', (now - 2 * day) / 1000, (now - 2 * day) / 1000);
      await utimes(young ?? '', now / 1000, now / 1000);
      await startLogged({ sources: { now: () => now } });
      expect(lines).toEqual([
        `moved 1 attachments that no record names to ${join(dataFolder, 'attachments', 'trash', '2026-11-22')}`,
        'left 1 attachments that no record names in place; old ones are moved to the trash later',
      ]);
      expect(await attachmentFiles('content')).toHaveLength(2);
    });

    it('are missed in the log and on the administration page when records name them and they are gone', async () => {
      const twice = randomBytes(100);
      await attach(twice);
      await rm(await attach(twice));
      await service.stop();
      await startLogged();
      const remedy = 'list them with the command verify, and put their files back from a backup';
      expect(lines).toEqual([`1 attachments that records name are missing; ${remedy}`]);
      const ready = await fetch(new URL('/ready', service.baseUrl));
      expect([ready.status, await ready.text()]).toEqual([
        200,
        `OK; 1 attachments were missing at this start: ${remedy}, and start again`,
      ]);
      const page = await call(service, { at: service.url, path: '/acme/administration' });
      expect(page.text).toContain(
        'For the operator of the service: 1 attachments were missing at this start: list them with the command verify, and put their files back',
      );
    });
  });
});
