import { createHash } from 'node:crypto';
import { link, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  maximumTrashed,
  type Sweep,
  sweepAttachments,
  type SweepRules,
  trashAfterMilliseconds,
} from '../../../../../src/service/platform/attachments/files/attachment-sweep.ts';

const now = Date.UTC(2026, 10, 22, 12);
const digestOf = (number: number): string => createHash('sha256').update(String(number)).digest('hex');

describe('the sweep of the attachments', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-sweep-'));
    await mkdir(join(folder, 'content'));
    await mkdir(join(folder, 'incoming'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  /** Files of so many numbers, from one on. */
  const add = async (from: number, count: number, age = 2 * trashAfterMilliseconds): Promise<void> => {
    for (let number = from; number < from + count; number += 1) {
      const digest = digestOf(number);
      const group = join(folder, 'content', digest.slice(0, 2));
      await mkdir(group, { recursive: true });
      await writeFile(join(group, digest), String(number));
      const time = new Date(now - age);
      await utimes(join(group, digest), time, time);
    }
  };
  /** Names the attachments of the numbers below the limit. */
  const sweep = (named: number, rules: Partial<SweepRules> = {}): Promise<Sweep> => {
    const known = new Set(Array.from({ length: named }, (_, number) => digestOf(number)));
    const isAttached = (digest: string): Promise<boolean> => Promise.resolve(known.has(digest));
    return sweepAttachments({ folder, isAttached, isNewDatabase: false, trashAll: false, now, ...rules });
  };
  const filesIn = async (name: string): Promise<readonly string[]> =>
    (await readdir(join(folder, name), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);

  it('moves an old file without a record to the dated trash, and nothing else', async () => {
    await add(0, 20);
    await add(20, 1);
    expect(await sweep(20)).toEqual({
      ...{ attached: 20, trashed: 1, left: 0, unfinished: 0 },
      trash: join(folder, 'trash', '2026-11-22'),
    });
    expect(await filesIn('content')).toHaveLength(20);
    expect(await readFile(join(folder, 'trash', '2026-11-22', digestOf(20)), 'utf8')).toBe('20');
  });

  it('leaves young files, and files with a time in the future, in place', async () => {
    await add(0, 20);
    await add(20, 1, trashAfterMilliseconds - 1);
    await add(21, 1, -trashAfterMilliseconds);
    expect(await sweep(20)).toMatchObject({ trashed: 0, left: 2 });
    expect(await filesIn('content')).toHaveLength(22);
  });

  it('moves at most a tenth of the files at a time, oldest first', async () => {
    await add(0, 30);
    await add(30, 9);
    await add(39, 1, 3 * trashAfterMilliseconds);
    expect(await sweep(30)).toMatchObject({ trashed: 4, left: 6 });
    expect(await filesIn('trash')).toContain(digestOf(39));
    expect(await sweep(30)).toMatchObject({ trashed: 3, left: 3 });
  });

  it('moves at most a hundred at a time, regardless of their number', async () => {
    await add(0, maximumTrashed * 11 + 150);
    expect(await sweep(maximumTrashed * 11)).toMatchObject({ trashed: maximumTrashed, left: 50 });
  });

  it('overwrites nothing in the trash', async () => {
    await add(0, 3);
    await sweep(2);
    await add(2, 1);
    await sweep(2);
    expect([...(await filesIn('trash'))].sort()).toEqual([digestOf(2), `${digestOf(2)}.2`]);
  });

  it('refuses a new database next to attachments, and changes nothing', async () => {
    await add(0, 1, 0);
    await writeFile(join(folder, 'incoming', 'a'.repeat(32)), 'half');
    const refused = sweep(0, { isNewDatabase: true });
    await expect(refused).rejects.toThrow(
      `the database is new, but ${folder} holds 1 attachments; put back the database that belongs to them`,
    );
    expect(await filesIn('.')).toHaveLength(2);
  });

  it('refuses a database that refers to fewer than half of the attachments, and changes nothing', async () => {
    await add(0, 9);
    await expect(sweep(4)).rejects.toThrow(
      /the database names only 4 of the 9 attachments in .*, so it probably belongs to other files; .*--trash-unnamed-attachments/u,
    );
    expect(await filesIn('content')).toHaveLength(9);
    expect(await sweep(5)).toMatchObject({ attached: 5 });
  });

  it('accepts what a crash of a service with few attachments leaves behind', async () => {
    await add(0, 3, 0);
    expect(await sweep(0)).toMatchObject({ trashed: 0, left: 3 });
  });

  describe('with what a crash during many uploads leaves behind', () => {
    /** Leaves uploads of these numbers as they are between their file and their record. */
    const interrupt = async (from: number, count: number): Promise<void> => {
      await add(from, count, 0);
      for (let number = from; number < from + count; number += 1) {
        const digest = digestOf(number);
        await link(join(folder, 'content', digest.slice(0, 2), digest), join(folder, 'incoming', digest.slice(0, 32)));
      }
    };

    it('accepts it, whatever its share, and moves it to the trash', async () => {
      await interrupt(0, 200);
      expect(await sweep(40)).toMatchObject({ attached: 40, trashed: 160, left: 0, unfinished: 200 });
      expect(await filesIn('content')).toHaveLength(40);
      expect(await filesIn('incoming')).toEqual([]);
      expect(await sweep(40)).toMatchObject({ attached: 40, trashed: 0, left: 0 });
    });

    it('still refuses a database that does not refer to the other attachments', async () => {
      await add(0, 9, 0);
      await interrupt(9, 20);
      await expect(sweep(4)).rejects.toThrow('the database names only 4 of the 9 attachments');
      await expect(sweep(0, { isNewDatabase: true })).rejects.toThrow('holds 29 attachments');
      expect(await filesIn('incoming')).toHaveLength(20);
    });
  });

  it('moves everything without a record if the operator requests it', async () => {
    await add(0, 40, 0);
    expect(await sweep(1, { trashAll: true })).toMatchObject({ attached: 1, trashed: 39, left: 0 });
    expect(await filesIn('trash')).toHaveLength(39);
    expect(await sweep(1)).toMatchObject({ attached: 1, trashed: 0 });
  });

  it('ignores files with names that the service does not use', async () => {
    const foreign = [
      'content/README',
      'content/ab/notes.txt',
      `content/ab/${'c'.repeat(64)}`,
      `content/ab/${'AB'.repeat(32)}`,
      `content/zz/${'zz'.repeat(32)}`,
      'incoming/half',
      `incoming/${'a'.repeat(32)}.bak`,
    ];
    await mkdir(join(folder, 'content', 'ab'));
    await mkdir(join(folder, 'content', 'zz'));
    await mkdir(join(folder, 'content', 'ab', 'ab'.repeat(32)));
    for (const path of foreign) await writeFile(join(folder, path), 'mine');
    expect(await sweep(0, { isNewDatabase: true })).toMatchObject({ attached: 0, trashed: 0, left: 0, unfinished: 0 });
    expect(await filesIn('.')).toHaveLength(foreign.length);
  });

  it('removes unfinished uploads', async () => {
    await writeFile(join(folder, 'incoming', 'a'.repeat(32)), 'half');
    expect(await sweep(0)).toMatchObject({ unfinished: 1 });
    expect(await filesIn('incoming')).toEqual([]);
  });
});
