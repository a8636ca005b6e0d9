import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withOperatorFolder } from '../../src/service/platform/database/sqlite/operator-access.ts';
import type { Storage } from '../../src/service/platform/database/storage.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { storageDependencies } from '../support/storage-dependencies.ts';

async function countMembers(storage: Storage): Promise<number> {
  return (await storage.read(({ accounts }) => accounts.listMembers('acme'))).length;
}

describe('a data folder whose service was killed', () => {
  let folder: string;
  let running: ServiceProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-unclean-stop-'));
  });
  afterEach(async () => {
    await stop('SIGKILL');
    await rm(folder, { recursive: true });
  });

  const start = async (...words: string[]): Promise<ServiceProcess> => {
    running = await startServiceProcess(['--port=0', '--data', folder, '--org=acme', ...words]);
    return running;
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    running?.child.kill(signal);
    await running?.ended();
    running = undefined;
  };
  const readReady = async ({ baseUrl }: ServiceProcess): Promise<string> =>
    (await fetch(new URL('/ready', baseUrl))).text();

  it('is opened as usual with its log, or after a command has moved that into the database; else only if the loss is accepted', async () => {
    await start();
    await stop('SIGKILL');
    expect(await readReady(await start())).toBe('OK');
    await stop('SIGKILL');
    expect(await withOperatorFolder(folder, storageDependencies(), countMembers)).toBe(1);
    expect(await readdir(folder)).not.toContain('compliance.sqlite-wal');
    expect(await readReady(await start())).toBe('OK');
    await stop('SIGKILL');
    await rm(join(folder, 'compliance.sqlite-wal'));
    await expect(start()).rejects.toThrow(/the latest records in .* may be lost: .*-wal is missing; .* --accept-loss/u);
    const accepted = await start('--accept-loss');
    expect(accepted.output()).toContain('may be lost, as --accept-loss accepts');
    expect(await readReady(accepted)).toBe('OK; the latest records before this start may be lost');
  });

  // Windows has no signals; a process there is ended as by SIGKILL.
  (process.platform === 'win32' ? it.skip : it)('says nothing after a clean stop, which removes the log', async () => {
    await start();
    await stop('SIGTERM');
    const names = await readdir(folder);
    expect(names).not.toContain('running');
    expect(names).not.toContain('compliance.sqlite-wal');
    expect(await readReady(await start())).toBe('OK');
  });
});
