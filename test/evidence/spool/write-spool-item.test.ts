import * as nodeFiles from 'node:fs/promises';
import { type FileHandle, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { findSpoolItems } from '../../../src/evidence/spool/find-spool-items.ts';
import { readSpoolItem } from '../../../src/evidence/spool/read-spool-item.ts';
import { type KeptFile, type SpoolFiles, writeSpoolItem } from '../../../src/evidence/spool/write-spool-item.ts';
import { collectBody } from '../../support/collect-bytes.ts';
import { failureOf } from '../../support/failures.ts';
import { sampleEntry } from '../../support/spool.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();
let target: { readonly folder: string; readonly random: () => number };

beforeEach(() => {
  target = { folder: join(workspace.path, '4242', 'spool'), random: () => 0.5 };
});

/** An attachment in chunks of three bytes. */
function attachmentOf(content: Uint8Array): KeptFile {
  return {
    filename: 'lcov.info',
    async *open() {
      for (let at = 0; at < content.length; at += 3) yield await Promise.resolve(content.subarray(at, at + 3));
    },
  };
}

const attachment = attachmentOf(Buffer.from('TN:\nend_of_record\n'));

describe('writeSpoolItem', () => {
  it('writes what a replay reads', async () => {
    const path = await writeSpoolItem(sampleEntry, attachment, target);
    expect(path).toBe(join(target.folder, '20260102T020405000Z-88888888'));
    const { items, refused } = await findSpoolItems(workspace.path);
    expect(refused).toEqual([]);
    expect(items).toEqual([{ path, name: '4242/spool/20260102T020405000Z-88888888', runId: '4242' }]);
    const { item } = await readOnly();
    expect(item?.manifest).toMatchObject(sampleEntry);
    expect((await collectBody(item?.file?.open() ?? '')).toString()).toBe('TN:\nend_of_record\n');
  });

  it('writes an item without an attachment', async () => {
    await writeSpoolItem(sampleEntry, undefined, target);
    const { item } = await readOnly();
    expect(item).not.toHaveProperty('file');
  });

  it('can be checked by `sha256sum`, and read only by its owner', async () => {
    const path = await writeSpoolItem(sampleEntry, attachment, target);
    expect(await readFile(join(path, 'SHA256SUMS'), 'utf8')).toMatch(/^[0-9a-f]{64} {2}manifest\.json\n$/u);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o077).toBe(0);
  });

  it('refuses what a replay would refuse, and leaves nothing', async () => {
    const failure = await failureOf(writeSpoolItem(sampleEntry, { ...attachment, filename: 'a\nb' }, target));
    expect(failure.message).toContain('file.name');
    expect(await readdir(target.folder)).toEqual([]);
  });
});

async function readOnly(): ReturnType<typeof readSpoolItem> {
  const { items } = await findSpoolItems(workspace.path);
  expect(items).toHaveLength(1);
  const [found] = items;
  if (found === undefined) throw new TypeError('there is no item');
  return readSpoolItem(found);
}

describe('a spool whose writer is killed', () => {
  /**
   * Writes an item, and stops for ever when so many operations on files are done, with a chunk half written. What is on
   * the disk then is what a killed process leaves.
   *
   * @returns whether it stopped
   */
  async function writeUntilKilled(steps: number): Promise<boolean> {
    const opened: FileHandle[] = [];
    const killed = Promise.withResolvers<true>();
    let left = steps;
    async function step<Result>(work: () => Promise<Result>): Promise<Result> {
      if (left === 0) {
        killed.resolve(true);
        await new Promise(() => undefined);
      }
      left -= 1;
      return work();
    }
    const files: SpoolFiles = {
      mkdir: (path, options) => step(() => nodeFiles.mkdir(path, options)),
      async rename(from, to) {
        await step(() => nodeFiles.rename(from, to));
        await step(() => Promise.resolve());
      },
      rm: nodeFiles.rm,
      async writeFile(path, content, { flag, mode, flush }) {
        expect(flush).toBe(true);
        const file = await step(() => nodeFiles.open(path, flag, mode));
        opened.push(file);
        for await (const bytes of content instanceof Uint8Array ? [content] : content) {
          await step(() => file.appendFile(bytes.subarray(0, bytes.length / 2)));
          await step(() => file.appendFile(bytes.subarray(bytes.length / 2)));
        }
        await step(() => file.close());
      },
    };
    const written = writeSpoolItem(sampleEntry, attachment, { ...target, files }).then(() => false);
    const isKilled = await Promise.race([killed.promise, written]);
    for (const file of opened) await file.close();
    return isKilled;
  }

  it('has the whole item or nothing, whatever the writer was about to do', async () => {
    const outcomes: string[] = [];
    for (let step = 0; outcomes.at(-1) !== 'whole, and not killed'; step += 1) {
      await nodeFiles.rm(target.folder, { recursive: true, force: true });
      const isKilled = await writeUntilKilled(step);
      const { items, refused } = await findSpoolItems(workspace.path);
      expect(refused).toEqual([]);
      const read = await Promise.all(items.map(readSpoolItem));
      for (const { problem } of read) expect(problem).toBeUndefined();
      outcomes.push(`${read.length === 0 ? 'nothing' : 'whole'}, and ${isKilled ? 'killed' : 'not killed'}`);
    }
    // Every step until the folder has its final name leaves nothing; the last ones leave the whole item.
    expect(outcomes.indexOf('whole, and killed')).toBeGreaterThan(10);
    expect(outcomes.lastIndexOf('nothing, and killed')).toBeLessThan(outcomes.indexOf('whole, and killed'));
  });
});
