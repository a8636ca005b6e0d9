import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { errorMessage } from '../../../src/runtime/failure.ts';
import { listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { backup as backupCommand, restore as restoreCommand } from '../../../src/service/commands/backup.ts';
import { verify as verifyCommand } from '../../../src/service/commands/log-commands.ts';
import { itWithPosixFiles } from '../../support/platform.ts';
import { type EndedCommand, runServiceCommand } from '../../support/run-service-command.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, sampleAttestation, sampleFlow, saveFlow } from '../../support/service-samples.ts';
import { storageDependencies } from '../../support/storage-dependencies.ts';

describe('the backup of a service', () => {
  let parent: string;
  let dataFolder: string;
  let target: string;
  let service: TestService;
  let trails = 0;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'compliance-backup-'));
    dataFolder = join(parent, 'data');
    target = join(parent, 'backup');
    service = await startTestService({ dataFolder });
    await saveFlow(service);
  });
  afterEach(async () => {
    await service.stop();
    await rm(parent, { recursive: true });
  });

  const attach = async (content: Uint8Array<ArrayBuffer>): Promise<string> => {
    trails += 1;
    const form = attestationForm(sampleAttestation('OK'), { content });
    const path = `/attestations/acme/web/trail/t${trails}/sonar`;
    expect((await call(service, { method: 'POST', path, form })).status).toBe(201);
    const digest = createHash('sha256').update(content).digest('hex');
    return join('attachments', 'content', digest.slice(0, 2), digest);
  };
  const backupWords = (...words: string[]): readonly string[] => ['backup', target, '--data', dataFolder, ...words];
  /** In this process, because starting one takes most of the time. */
  const run = async (words: readonly string[]): Promise<EndedCommand> => {
    const lines: string[] = [];
    const [name = '', ...rest] = words;
    const command = { backup: backupCommand, restore: restoreCommand, verify: verifyCommand }[name];
    const terminal = { isInteractive: true, writeLine: (line: string) => lines.push(line) };
    try {
      await command?.run(rest, {}, { ...storageDependencies(), ...terminal });
      return { code: 0, output: lines.join('\n') };
    } catch (error) {
      return { code: 1, output: [...lines, errorMessage(error)].join('\n') };
    }
  };
  const backup = (...words: string[]): Promise<EndedCommand> => run(backupWords(...words));
  const verify = (): Promise<EndedCommand> => run(['verify', target]);
  const restore = (...words: string[]): Promise<EndedCommand> => run(['restore', target, ...words]);
  const manifest = async (): Promise<unknown> => JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8'));

  it('has all data of a running service, and a service works with it after a restore', async () => {
    const content = randomBytes(300_000);
    const path = await attach(content);
    await attach(randomBytes(1000));
    const made = await runServiceCommand(backupWords());
    expect(made).toEqual({
      code: 0,
      output: expect.stringMatching(/^backed up .* 2 attachments \(301000 bytes\)/u) as unknown,
    });
    expect(valueAt(await manifest(), 'database', 'rows', 'attestations')).toBe(2);
    expect(valueAt(await manifest(), 'attachments', 'files')).toBe(2);
    expect(await verify()).toMatchObject({ code: 0 });

    const restored = join(parent, 'restored');
    const checked = await restore('--check', '--data', restored);
    expect(checked.code).toBe(0);
    expect(checked.output).toContain(`a restore would write it to ${restored}; nothing was changed`);
    expect(await readdir(parent)).not.toContain('restored');
    expect(await restore('--data', restored)).toMatchObject({ code: 0 });
    expect((await readFile(join(restored, path))).equals(content)).toBe(true);
    const other = await startTestService({ dataFolder: restored });
    expect((await saveFlow(other)).status).toBe(200);
    const { body } = await call(other, { path: '/attestations/acme/web' });
    expect(valueAt(body, 'data')).toHaveLength(2);
    await other.stop();
  });

  it('leaves out attachments that were removed', async () => {
    await attach(randomBytes(1000));
    await attach(randomBytes(2000));
    const { body: page } = await call(service, { path: '/attestations/acme/web?per_page=1' });
    const id = textAt(listAt(page, 'data')[0], 'attestation_id') ?? '';
    const path = `/attestations/acme/${id}/attachment`;
    expect((await call(service, { method: 'DELETE', path, json: { reason: 'A secret' } })).status).toBe(200);
    const { code, output } = await runServiceCommand(backupWords());
    expect([code, output]).toEqual([0, expect.stringMatching(/ 1 attachments \(1000 bytes\)/u)]);
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await restore('--data', join(parent, 'restored'))).toMatchObject({ code: 0 });
    const other = await startTestService({ dataFolder: join(parent, 'restored') });
    expect((await call(other, { at: other.url, path: '/ready' })).text).toBe('OK');
    await other.stop();
  });

  it('has the idempotency keys of all requests', async () => {
    const repeat = async (to: TestService): Promise<readonly unknown[]> => {
      const headers = { 'idempotency-key': '"one"' };
      const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
      const answers = [
        await call(to, { method: 'PUT', path: '/flows/acme', json: sampleFlow({ name: 'api' }), headers }),
        await call(to, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form, headers }),
      ];
      return answers.map((answer) => [answer.status, answer.headers.get('idempotent-replayed')]);
    };
    expect(await repeat(service)).toEqual([
      [201, null],
      [201, null],
    ]);
    await backup();
    expect(await verify()).toMatchObject({ code: 0 });
    const restored = join(parent, 'restored');
    await restore('--data', restored);
    const other = await startTestService({ dataFolder: restored });
    expect(await repeat(other)).toEqual([
      [201, 'true'],
      [201, 'true'],
    ]);
    await other.stop();
  });

  it('is consistent while the service writes', async () => {
    let writing = true;
    let acknowledged = 0;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) {
        await attach(randomBytes(2000));
        acknowledged += 1;
      }
    });
    while (acknowledged < 20) await new Promise(setImmediate);
    let before: number;
    let made: EndedCommand;
    // Once more if nothing was written meanwhile, because the machine was busy.
    do {
      await rm(target, { recursive: true, force: true });
      before = acknowledged;
      made = await runServiceCommand(backupWords());
    } while (acknowledged === before);
    writing = false;
    await Promise.all(writers);
    expect(made).toMatchObject({ code: 0 });
    const rows = Number(valueAt(await manifest(), 'database', 'rows', 'attestations'));
    expect(rows).toBeGreaterThanOrEqual(before);
    expect(valueAt(await manifest(), 'attachments', 'files')).toBe(rows);
    expect(await verify()).toMatchObject({ code: 0 });
  });

  itWithPosixFiles('is for its owner alone', async () => {
    await attach(randomBytes(1000));
    await backup();
    expect((await stat(target)).mode & 0o777).toBe(0o700);
    for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it('fails if attachments are damaged, unless they are left out', async () => {
    const path = await attach(randomBytes(1000));
    await attach(randomBytes(1000));
    await truncate(join(dataFolder, path), 10);
    const refused = await backup();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`${path.slice(-64)} is truncated`);
    const incomplete = await runServiceCommand(['verify', target]);
    expect([incomplete.code, incomplete.output]).toEqual([1, expect.stringContaining('not a complete backup')]);
    target = join(parent, 'second');
    const done = { code: 0, output: expect.stringContaining(`without damaged attachments (1): ${path.slice(-64)}`) };
    expect(await backup('--leave-out-damaged')).toMatchObject(done);
    expect(valueAt(await manifest(), 'attachments', 'left_out')).toEqual([path.slice(-64)]);
    expect(await verify()).toMatchObject(done);
    expect(await restore('--data', join(parent, 'restored'))).toMatchObject(done);
  });

  describe('that is damaged', () => {
    let path: string;
    beforeEach(async () => {
      path = await attach(randomBytes(1000));
      expect((await backup()).code).toBe(0);
    });

    it.each<[string, () => Promise<void>, RegExp]>([
      [
        'an attachment is altered',
        () => writeFile(join(target, path), randomBytes(1000)),
        /attachment [0-9a-f]{64} is altered/u,
      ],
      ['an attachment is gone', () => rm(join(target, path)), /attachment [0-9a-f]{64} is missing/u],
      [
        'the database is altered',
        () => appendFile(join(target, 'compliance.sqlite'), 'x'),
        /is not the file that was backed up/u,
      ],
      ['the database is gone', () => rm(join(target, 'compliance.sqlite')), /compliance\.sqlite cannot be read/u],
      [
        'the manifest is gone',
        () => rm(join(target, 'manifest.json')),
        /not a complete backup, because it has no manifest/u,
      ],
      [
        'the manifest is no JSON',
        () => writeFile(join(target, 'manifest.json'), '{'),
        /manifest\.json of .* is damaged/u,
      ],
      ['the manifest is another one', () => writeFile(join(target, 'manifest.json'), '{"format":1}'), /is damaged/u],
      [
        'the manifest is of the future',
        () => writeFile(join(target, 'manifest.json'), '{"format":2}'),
        /use a newer version of the service/u,
      ],
    ])('is detected if %s, and nothing is restored', async (_how, damage, message) => {
      await damage();
      const found = await verify();
      expect(found).toMatchObject({ code: 1, output: expect.stringMatching(message) as unknown });
      const restored = join(parent, 'restored');
      expect(await restore('--check', '--data', restored)).toMatchObject({ code: 1, output: found.output });
      expect(await restore('--data', restored)).toMatchObject({ code: 1, output: found.output });
      expect(await readdir(parent)).not.toContain('restored');
    });
  });

  it('overwrites nothing', async () => {
    await mkdir(target);
    await writeFile(join(target, 'mine'), '');
    expect(await backup()).toEqual({ code: 1, output: expect.stringContaining(`${target} is not empty`) as unknown });
    target = join(parent, 'second');
    await backup();
    const refused = await restore('--data', dataFolder);
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${dataFolder} is not empty`) as unknown,
    });
    expect(await restore('--check', '--data', dataFolder)).toMatchObject({ code: 1 });
    expect(await restore('--check')).toMatchObject({ code: 0 });
  });

  it('says that a file is not a folder', async () => {
    await writeFile(target, '');
    expect(await backup()).toEqual({ code: 1, output: `${target} is not a folder; name another` });
  });

  it('is refused if the write-ahead log of a killed service is missing', async () => {
    await service.stop();
    await writeFile(join(dataFolder, 'running'), '');
    const refused = await backup();
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('may be lost') as unknown });
    expect(await readdir(parent)).not.toContain('backup');
  });

  it('is refused if the database is empty, and leaves its write-ahead log alone', async () => {
    await service.stop();
    await truncate(join(dataFolder, 'compliance.sqlite'));
    expect(await backup()).toMatchObject({
      code: 1,
      output: expect.stringContaining('has no tables; name') as unknown,
    });
    await writeFile(join(dataFolder, 'compliance.sqlite-wal'), 'the latest writes');
    target = join(parent, 'second');
    expect(await backup()).toMatchObject({ code: 1, output: expect.stringContaining('holds writes; put') as unknown });
    expect(await readdir(dataFolder)).toContain('compliance.sqlite-wal');
  });

  it('requires an existing data folder', async () => {
    dataFolder = join(parent, 'nothing');
    const refused = await backup();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(
      'compliance.sqlite does not exist; name the data folder of the service with --data',
    );
    expect(await readdir(parent)).not.toContain('backup');
    dataFolder = join(parent, 'data');
  });
});
