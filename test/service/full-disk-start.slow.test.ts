import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSigningKeys } from '../../src/service/commands/signing-key-file.ts';
import { databaseFile } from '../../src/service/platform/attachments/files/data-folder.ts';
import { copyDatabase } from '../../src/service/platform/database/sqlite/backup-database.ts';
import { withOperatorFolder } from '../../src/service/platform/database/sqlite/operator-access.ts';
import { runServiceCommand } from '../support/run-service-command.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call } from '../support/service-call.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { attest, report, sampleAttestation, sampleFlow, saveFlow, stateOf } from '../support/service-samples.ts';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { storageDependencies } from '../support/storage-dependencies.ts';

const message = /^the disk of .*compliance\.sqlite is full; make room there and start again$/u;
const full = { message: 'The service has no room left to record this; nothing was recorded' };

(canMountDisks() ? describe : describe.skip)('a start on a full disk (needs the right to mount one)', () => {
  let disk: SmallDisk;
  let dataFolder: string;
  let service: TestService | undefined;
  beforeEach(async () => {
    const mounted = mountSmallDisk(4 * 1024 * 1024);
    if (mounted === undefined) throw new Error('this user can mount disks');
    disk = mounted;
    dataFolder = join(disk.path, 'data');
    await mkdir(dataFolder);
    service = await startTestService({ dataFolder });
    await saveFlow(service);
    await report(service);
    await attest(service, sampleAttestation('OK'));
  });
  afterEach(async () => {
    await service?.stop();
    disk.remove();
  });

  /** Every question is asked later than any result is reused. */
  const start = async (): Promise<TestService> => {
    let time = Date.now();
    service = await startTestService({ dataFolder, sources: { now: () => (time += 1000) } });
    return service;
  };
  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };
  const ready = async (started: TestService): Promise<unknown> => {
    const { status, body, text } = await call(started, { at: started.url, path: '/ready', key: null });
    return [status, body ?? text];
  };
  const expectReading = async (started: TestService): Promise<void> => {
    expect(await stateOf(started)).toBe('COMPLIANT');
    expect((await call(started, { at: started.url, path: '/acme' })).status).toBe(200);
    expect(await ready(started)).toEqual([503, { message: 'Not ready: the storage is full' }]);
    expect(await saveFlow(started, { name: 'refused' })).toMatchObject({ status: 507, body: full });
    expect(await stateOf(started)).toBe('COMPLIANT');
  };
  const expectWriting = async (started: TestService): Promise<void> => {
    expect(await ready(started)).toEqual([200, 'OK']);
    expect(await attest(started, sampleAttestation('ERROR'))).toMatchObject({ status: 201 });
    expect(await stateOf(started)).toBe('NON-COMPLIANT');
    expect(existsSync(join(dataFolder, 'running'))).toBe(true);
  };
  const makeRoom = (): Promise<void> => rm(join(disk.path, 'filling'));

  it('reads, refuses writes with 507, and goes on when there is room', async () => {
    await stop();
    disk.fill();
    await expect(withOperatorFolder(dataFolder, storageDependencies(), () => Promise.resolve())).rejects.toThrow(
      message,
    );
    expect(() => {
      copyDatabase(join(dataFolder, databaseFile), join(tmpdir(), 'not-written.sqlite'));
    }).toThrow(message);
    const started = await start();
    await expectReading(started);
    expect(started.errors.join()).toContain('the organization acme was not checked, because the disk is full');
    await makeRoom();
    await expectWriting(started);
    await stop();
    const again = await start();
    expect(await stateOf(again)).toBe('NON-COMPLIANT');
    expect(again.errors).toEqual([]);
  });

  it('refuses commands of the operator, and says where to make room', async () => {
    const run = (...words: string[]): Promise<unknown> => runServiceCommand([...words, '--data', dataFolder]);
    const refusal = (file: string): unknown => ({
      code: 1,
      output: expect.stringMatching(
        new RegExp(`^the disk of .*/${file} is full; make room there and start again$`, 'mu'),
      ),
    });
    await loadSigningKeys(dataFolder);
    disk.fill();
    expect(await run('create-key', '--org', 'acme')).toEqual(refusal('compliance.sqlite'));
    expect(await run('rotate-signing-key')).toEqual(refusal('signing-key.pem.new'));
  });

  it('reads what the log of a killed service holds', async () => {
    const apiKey = service?.apiKey ?? '';
    await stop();
    const killed = await startServiceProcess(['--port=0', '--data', dataFolder, '--org=acme']);
    const { status } = await fetch(`${killed.baseUrl}/flows/acme`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(sampleFlow({ name: 'last' })),
    });
    expect(status).toBe(201);
    killed.child.kill('SIGKILL');
    await killed.ended();
    expect(existsSync(join(dataFolder, 'compliance.sqlite-wal'))).toBe(true);
    disk.fill();
    const started = await start();
    await expectReading(started);
    expect((await call(started, { path: '/flows/acme/last' })).status).toBe(200);
    await makeRoom();
    await expectWriting(started);
  });
});
