import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LateEntries } from '../../../src/service/log/background/late-entries.ts';
import { attachmentPath } from '../../../src/service/platform/attachments/files/attachment-layout.ts';
import { SqliteStorage } from '../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { earlierAttachment, readFixture } from '../../support/earlier-version.ts';
import { storageDependencies } from '../../support/storage-dependencies.ts';
import { runLog } from '../../support/verify-log.ts';

describe('records that are older than the log', () => {
  let dataFolder: string;
  let storage: SqliteStorage;
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-late-'));
    await writeFile(join(dataFolder, 'compliance.sqlite'), readFixture('compliance.sqlite'));
    const digest = createHash('sha256').update(earlierAttachment).digest('hex');
    const attachment = attachmentPath(join(dataFolder, 'attachments'), digest);
    await mkdir(dirname(attachment), { recursive: true });
    await writeFile(attachment, earlierAttachment);
    storage = new SqliteStorage(dataFolder, storageDependencies());
  });
  afterEach(async () => {
    await storage.close();
    await rm(dataFolder, { recursive: true });
  });

  /** Enters them until all are entered, or after some transactions a stop interrupts it. */
  const enter = async (transactions = Infinity): Promise<readonly string[]> => {
    const progress: string[] = [];
    const done = Promise.withResolvers<undefined>();
    let count = 0;
    const counted = {
      read: storage.read.bind(storage),
      transaction: ((scope, work, options) => {
        count += 1;
        if (count >= transactions) done.resolve(undefined);
        return storage.transaction(scope, work, options);
      }) satisfies SqliteStorage['transaction'],
      onCommit: storage.onCommit.bind(storage),
      probe: storage.probe.bind(storage),
      close: storage.close.bind(storage),
    };
    const late = new LateEntries({
      ...storageDependencies({
        log: { info: (line) => progress.push(line), error: (line) => progress.push(line) },
        // It waits when there is nothing left.
        after: () => {
          done.resolve(undefined);
          return () => undefined;
        },
      }),
      storage: counted,
    });
    await done.promise;
    await late.stop();
    return progress;
  };
  const verify = (): Promise<readonly string[]> => runLog(['verify', '--data', dataFolder]);

  it('are entered, marked as entered later', async () => {
    const progress = await enter();
    expect(progress).toContainEqual(
      expect.stringMatching(/^transparency log of acme: entered all \d+ of kind 'attestation'$/u),
    );
    const lines = await verify();
    expect(lines).toContainEqual(expect.stringMatching(/^acme: (\d+) entries, \1 of them entered later, /u));
    expect(lines.at(-1)).toBe('nothing is altered, missing or extra');
    expect(await enter()).toEqual([]);
  });

  it('are entered once, however often a stop interrupts it', async () => {
    for (let transactions = 1; transactions < 8; transactions += 1) {
      await enter(transactions);
      const lines = await verify();
      expect(lines).toContainEqual(
        expect.stringMatching(/^acme: \d+ records are older than the log and not entered yet; /u),
      );
      expect(lines.at(-1)).toBe('nothing is altered, missing or extra');
    }
    await enter();
    const entered = await storage.read(({ log }) => log.listWithLatest('acme', 0, 10_000));
    expect(entered.filter(({ isLatest }) => !isLatest)).toEqual([]);
    expect((await verify()).join()).not.toContain('not entered yet');
  });
});
