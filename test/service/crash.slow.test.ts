import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listAt } from '../../src/runtime/untrusted-data.ts';
import { ask, sharedKey, sharedOrg } from '../support/service-instances.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';
import { runLog } from '../support/verify-log.ts';
import { attachedDigest, prepareLoad, WritingLoad } from '../support/writing-load.ts';

const writers = 12;

describe('a service that is killed under concurrent writes', () => {
  const workspace = workspaceForEachTest();
  let running: ServiceProcess | undefined;
  let load: WritingLoad;
  afterEach(async () => {
    await load.abandon();
    running?.child.kill('SIGKILL');
    await running?.ended();
  });

  async function start(): Promise<ServiceProcess> {
    const words = ['--port', '0', '--data', workspace.path, '--org', sharedOrg, '--key', sharedKey];
    running = await startServiceProcess(words);
    return running;
  }

  /** Kills a service while it is written to. */
  async function crash(): Promise<void> {
    const service = await start();
    await prepareLoad(service.baseUrl, writers);
    load = new WritingLoad([service.baseUrl]);
    load.start(writers);
    await load.proceed(80);
    service.child.kill('SIGKILL');
    await service.ended();
  }

  it('has every write once after its next start, when what it did not answer was sent again', async () => {
    await crash();
    const { baseUrl } = await start();
    load.moveTo(baseUrl);
    await load.proceed(80);
    await load.stop();
    await load.expectRecords(baseUrl);
    // The log and the records never disagree.
    const [entries, ...others] = await runLog(['verify', '--data', workspace.path]);
    expect(entries).toMatch(/^acme: \d{3,} entries, /u);
    expect(others.at(-1)).toBe('nothing is altered, missing or extra');
  }, 60_000);

  it('keeps no file after its next start that is not whole, and none in place that no attestation names', async () => {
    await crash();
    await load.abandon();
    const { baseUrl } = await start();
    const folder = join(workspace.path, 'attachments');
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name));
      expect(createHash('sha256').update(content).digest('hex')).toBe(name);
      expect(basename(parentPath)).toMatch(new RegExp(`^(?:${name.slice(0, 2)}|\\d{4}-\\d\\d-\\d\\d)$`, 'u'));
    }
    // Each attachment has content of its own. What was kept for an attestation that was not recorded is in the trash.
    const inPlace = files.filter(({ parentPath }) => basename(dirname(parentPath)) === 'content');
    const list: unknown = JSON.parse((await ask(baseUrl, '/attestations/acme/web?per_page=1000')).text);
    const digests = await Promise.all(listAt(list, 'data').map((each) => attachedDigest(baseUrl, each)));
    expect(inPlace).toHaveLength(digests.filter((digest) => digest !== undefined).length);
    expect(files.length).toBeLessThanOrEqual(inPlace.length + writers);
  }, 60_000);
});
