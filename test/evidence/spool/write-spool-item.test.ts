import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findSpoolItems } from '../../../src/evidence/spool/find-spool-items.ts';
import { readSpoolItem } from '../../../src/evidence/spool/read-spool-item.ts';
import { writeSpoolItem, type KeptFile } from '../../../src/evidence/spool/write-spool-item.ts';
import { collectBody } from '../../support/collect-bytes.ts';
import { failureOf } from '../../support/failures.ts';
import { sampleEntry } from '../../support/spool.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

let workspace: TemporaryWorkspace;
let target: { readonly folder: string; readonly random: () => number };

beforeEach(async () => {
  workspace = await temporaryWorkspace();
  target = { folder: join(workspace.path, '4242', 'spool'), random: () => 0.5 };
});

afterEach(() => workspace.remove());

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
  it('has the whole item or nothing, whatever the writer was about to do', async () => {
    const outcomes: string[] = [];
    for (let step = 0; outcomes.at(-1) !== 'whole, and not killed'; step += 1) {
      await workspace.remove();
      workspace = await temporaryWorkspace();
      const script = join(import.meta.dirname, '..', '..', 'support', 'killed-spool-writer.ts');
      const { signal, stderr } = spawnSync(process.execPath, [script, workspace.path, String(step)], {
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      const { items, refused } = await findSpoolItems(workspace.path);
      expect(refused).toEqual([]);
      const read = await Promise.all(items.map(readSpoolItem));
      for (const { problem } of read) expect(problem).toBeUndefined();
      outcomes.push(`${read.length === 0 ? 'nothing' : 'whole'}, and ${signal === null ? 'not killed' : 'killed'}`);
    }
    // Every step until the folder has its final name leaves nothing; the last ones leave the whole item.
    expect(outcomes.indexOf('whole, and killed')).toBeGreaterThan(10);
    expect(outcomes.slice(0, outcomes.indexOf('whole, and killed'))).not.toContain('whole, and killed');
    expect(outcomes.lastIndexOf('nothing, and killed')).toBeLessThan(outcomes.indexOf('whole, and killed'));
  }, 60_000);
});
