import { appendFileSync, existsSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readUnchanged } from '../../../src/evidence/files/read-unchanged.ts';
import { withFileTree } from '../../support/file-tree.ts';
import { userErrorOf } from '../../support/user-error.ts';

const bytes = Buffer.alloc(150_000, 'evidence ');

async function allOf(path: string, size: number): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of readUnchanged(path, size)) chunks.push(chunk);
  return chunks;
}

describe('readUnchanged', () => {
  it.each([1, 65_535, 65_536, 65_537])('yields all %d bytes', async (size) => {
    const content = Buffer.alloc(size, 'abc');
    await withFileTree({ f: content }, async ({ at }) => {
      expect(Buffer.concat(await allOf(at('f'), size)).equals(content)).toBe(true);
    });
  });

  const sysFile = '/sys/kernel/mm/transparent_hugepage/enabled';
  (existsSync(sysFile) ? it : it.skip)('is refused if it ends before the size that the system gives', async () => {
    const mistake = await userErrorOf(() => allOf(sysFile, statSync(sysFile).size));
    expect(mistake.message).toContain('does not have the size that the system reports');
  });

  it('reads only when a chunk is requested, and no further', async () => {
    await withFileTree({ f: bytes }, async ({ at }) => {
      const chunks = readUnchanged(at('f'), bytes.length);
      writeFileSync(at('f'), Buffer.alloc(bytes.length, 'x'));
      const first = await chunks.next();
      expect(first.value?.toString('latin1', 0, 3)).toBe('xxx');
      // The reader stopped early: the file is closed, so that even Windows can remove it.
      expect((await chunks.return()).done).toBe(true);
    });
  });

  it.each([
    ['has become longer', 10, 11],
    ['has become shorter', 10, 9],
    ['is no longer empty', 0, 1],
  ])('fails when the file %s since it was found', async (_, found, now) => {
    await withFileTree({ f: 'x'.repeat(now) }, async ({ at }) => {
      const mistake = await userErrorOf(() => allOf(at('f'), found));
      expect(mistake.message).toBe(`${at('f')} changed while it was read`);
    });
  });

  it.each<[string, (path: string) => void]>([
    [
      'grows',
      (path) => {
        appendFileSync(path, 'more');
      },
    ],
    [
      'shrinks',
      (path) => {
        truncateSync(path, 70_000);
      },
    ],
    [
      'is written anew with as many bytes',
      (path) => {
        writeFileSync(path, Buffer.alloc(bytes.length));
        utimesSync(path, 1, 1);
      },
    ],
  ])('never yields the last chunk of a file that %s meanwhile', async (_, change) => {
    await withFileTree({ f: bytes }, async ({ at }) => {
      const chunks = readUnchanged(at('f'), bytes.length);
      const first = await chunks.next();
      let given = first.value?.length ?? 0;
      change(at('f'));
      const mistake = await userErrorOf(async () => {
        for await (const chunk of chunks) given += chunk.length;
      });
      expect(mistake.message).toContain('changed while it was read');
      expect(given).toBeLessThan(bytes.length);
    });
  });

  it('fails with the path and the reason when there is no such file', async () => {
    await withFileTree({}, async ({ at }) => {
      const mistake = await userErrorOf(() => allOf(at('gone'), 1));
      expect(mistake.message).toMatch(/gone cannot be read: .*ENOENT/);
    });
  });
});
