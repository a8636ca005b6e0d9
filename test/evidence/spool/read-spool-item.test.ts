import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { findSpoolItems } from '../../../src/evidence/spool/find-spool-items.ts';
import { isMarkedDelivered, markDelivered, readSpoolItem } from '../../../src/evidence/spool/read-spool-item.ts';
import { failureOf } from '../../support/failures.ts';
import { forgeItem, sampleAttachment, sampleEntry, sampleManifest } from '../../support/spool.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();
let path: string;

beforeEach(async () => {
  path = join(workspace.path, '4242', 'spool', 'item');
  await forgeItem(path, sampleManifest, sampleAttachment);
});

const found = (): Parameters<typeof readSpoolItem>[0] => ({ path, name: '4242/spool/item', runId: '4242' });

async function problemOf(): Promise<string | undefined> {
  return (await readSpoolItem(found())).problem;
}

async function refusalsIn(folder: string): Promise<readonly (readonly [name: string, reason: string])[]> {
  const { items, refused } = await findSpoolItems(folder);
  expect(items).toEqual([]);
  return refused.map(({ name, reason }) => [name, reason] as const);
}

/** An array in an array in an array. */
function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

const { file } = sampleManifest;

describe('readSpoolItem', () => {
  it('accepts an item that is as it was written', async () => {
    expect(await problemOf()).toBeUndefined();
  });

  it.each([
    ['a missing manifest', () => rm(join(path, 'manifest.json')), 'manifest.json is missing'],
    ['a missing checksum', () => rm(join(path, 'SHA256SUMS')), 'SHA256SUMS is missing'],
    ['a missing attachment', () => rm(join(path, 'attachment')), 'attachment is missing'],
    [
      'a manifest that was cut',
      () => truncate(join(path, 'manifest.json'), 100),
      'SHA256SUMS does not have the SHA-256',
    ],
    ['a manifest that was changed', () => appendFile(join(path, 'manifest.json'), ' '), 'does not have the SHA-256'],
    ['an attachment that was cut', () => truncate(join(path, 'attachment'), 3), 'has 3 bytes instead of 18'],
    ['an attachment that was changed', () => writeFile(join(path, 'attachment'), 'x'.repeat(18)), 'SHA-256'],
    ['a folder in place of a file', () => replaceByFolder('attachment'), 'attachment'],
  ])('refuses %s', async (_what, damage, reason) => {
    await damage();
    expect(await problemOf()).toContain(reason);
  });

  it.each([
    ['another version', { ...sampleManifest, version: 2 }, 'has the version 2, but this action reads only 1'],
    ['no version', sampleEntry, 'version of the type undefined'],
    ['no object', '[]', 'version of the type undefined'],
    ['no JSON', '{"version": 1', 'is not JSON'],
    [
      'a deep nesting',
      { ...sampleManifest, document: { deep: JSON.parse(nested(500)) as unknown } },
      'manifest.json nests values more than 100 deep',
    ],
    [
      'a nesting that would overflow the stack',
      `{"version":1,"document":{"a":${nested(200_000)}}}`,
      'manifest.json nests values more than 100 deep',
    ],
    ['too many values', { ...sampleManifest, document: { many: Array(312_500).fill(0) } }, 'more than 312500 keys'],
    ['too many bytes', { ...sampleManifest, document: { text: 'x'.repeat(2_100_000) } }, 'larger than 2097152 bytes'],
    ['an unknown field', { ...sampleManifest, org: 'other' }, 'org is not a known field'],
    ['the name of a file elsewhere', { ...sampleManifest, file: withName('../../etc/passwd') }, 'file.name must match'],
    ['a file name with a line break', { ...sampleManifest, file: withName('a"\r\nx: y') }, 'file.name must match'],
    [
      'a huge attachment',
      { ...sampleManifest, file: { name: 'a', size: 1e9, sha256: 'a'.repeat(64) } },
      'is larger than',
    ],
    ['a key that is none', { ...sampleManifest, idempotency_key: 'a\r\nb' }, 'idempotency_key must match'],
    ['a time that is none', { ...sampleManifest, gathered_at: 'yesterday' }, 'gathered_at must match'],
    ['a run that is none', { ...sampleManifest, run: { ...sampleEntry.run, run_id: '../1' } }, 'run.run_id must match'],
  ])('refuses a manifest with %s', async (_what, manifest, reason) => {
    await forgeItem(path, manifest, sampleAttachment);
    expect(await problemOf()).toContain(reason);
  });

  it.each(['manifest.json', 'attachment', 'SHA256SUMS'])('does not follow a link in place of %s', async (name) => {
    if (process.platform === 'win32') return;
    await workspace.write('elsewhere', sampleAttachment);
    await rm(join(path, name));
    await symlink(join(workspace.path, 'elsewhere'), join(path, name));
    expect(await problemOf()).toContain(`${name} is a symbolic link`);
  });

  it('does not wait for a named pipe', async () => {
    if (process.platform === 'win32') return;
    await rm(join(path, 'attachment'));
    execFileSync('mkfifo', [join(path, 'attachment')]);
    expect(await problemOf()).toContain('attachment is not a file');
  });

  it('marks an item as delivered', async () => {
    expect(await isMarkedDelivered(found())).toBe(false);
    await markDelivered(found(), '2026-01-02T03:04:05.000Z');
    expect(await isMarkedDelivered(found())).toBe(true);
    expect(await problemOf()).toBeUndefined();
  });
});

describe('findSpoolItems', () => {
  it('finds items in the folder of their run, as artifacts unpack them or not', async () => {
    await forgeItem(join(workspace.path, '4243', 'item'), sampleManifest);
    const { items } = await findSpoolItems(workspace.path);
    expect(items.map(({ name, runId }) => [name, runId])).toEqual([
      ['4242/spool/item', '4242'],
      ['4243/item', '4243'],
    ]);
  });

  it('leaves out what was not written completely', async () => {
    await forgeItem(join(workspace.path, '4242', 'spool', '.incomplete-item'), sampleManifest);
    expect((await findSpoolItems(workspace.path)).items).toHaveLength(1);
  });

  it('refuses an item that is not in the folder of a run, so that an item cannot choose its run', async () => {
    await rm(join(workspace.path, '4242'), { recursive: true });
    await forgeItem(join(workspace.path, 'spool', '4242', 'item'), sampleManifest);
    await forgeItem(join(workspace.path, '7'), sampleManifest);
    expect(await refusalsIn(workspace.path)).toEqual([
      ['7', expect.stringContaining('not in a folder of its own')],
      ['spool/4242/item', expect.stringContaining('named by the id of its workflow run')],
    ]);
  });

  it('follows no links, and refuses items that have some', async () => {
    if (process.platform === 'win32') return;
    await symlink('/etc', join(workspace.path, '4244'));
    await symlink('/etc', join(workspace.path, '4242', 'etc'));
    await symlink('/etc/passwd', join(path, 'notes'));
    expect(await refusalsIn(workspace.path)).toEqual([
      ['4242/etc', 'is a symbolic link'],
      ['4242/spool/item/notes', 'is a symbolic link'],
      ['4244', 'is a symbolic link'],
    ]);
  });

  it('refuses archives, and reads what is beside them', async () => {
    for (const name of ['a.zip', '4242/b.TGZ', '4242/spool/c.tar', '4242/spool/item/notes.tar.gz'])
      await workspace.write(name, 'packed');
    const { items, refused } = await findSpoolItems(workspace.path);
    expect(items.map(({ name }) => name)).toEqual(['4242/spool/item']);
    expect(refused).toEqual(
      ['4242/b.TGZ', '4242/spool/c.tar', 'a.zip'].map((name) => ({
        ...{ name, reason: 'is an archive, which must be unpacked into a folder' },
      })),
    );
  });

  it('does not go into deep folders, and says so', async () => {
    await rm(join(workspace.path, '4242'), { recursive: true });
    await mkdir(join(workspace.path, '4242/a/b/c/d/e'), { recursive: true });
    expect(await refusalsIn(workspace.path)).toEqual([['4242/a/b/c/d', 'is nested too deeply']]);
  });

  it('refuses the folder of a run with too many files, and delivers the others', async () => {
    await mkdir(join(workspace.path, '1', 'many'), { recursive: true });
    await Promise.all(
      Array.from({ length: 10_001 }, (_, at) => writeFile(join(workspace.path, '1', 'many', `${at}`), '')),
    );
    const { items, refused } = await findSpoolItems(workspace.path);
    expect(items).toHaveLength(1);
    expect(refused).toEqual([{ name: '1/many', reason: 'has more than 10000 files and folders' }]);
  });

  it('says that the folder is missing', async () => {
    const failure = await failureOf(findSpoolItems(join(workspace.path, 'nowhere')));
    expect(failure.message).toContain('nowhere cannot be read');
  });
});

async function replaceByFolder(name: string): Promise<void> {
  await rm(join(path, name));
  await mkdir(join(path, name));
}

function withName(name: string): unknown {
  return { ...(typeof file === 'object' ? file : {}), name };
}
