import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maximumFileBytes } from '../../../src/contract/limits.ts';
import { type Attachment, prepareAttachment } from '../../../src/evidence/attachment/attachment.ts';
import { resolveFiles } from '../../../src/evidence/files/resolve-files.ts';
import { collectBytes } from '../../support/collect-bytes.ts';
import { type FileTree, withFileTree } from '../../support/file-tree.ts';
import { readTar } from '../../support/tar-reader.ts';
import { userErrorOf } from '../../support/user-error.ts';

interface Wanted {
  readonly patterns?: readonly string[];
  readonly maximumBytes?: number;
}

/** The attachment of the files in the tree's `work` folder; archives are written to its `temporary` folder. */
async function attach(tree: FileTree, { patterns = ['.'], maximumBytes }: Wanted = {}): Promise<Attachment> {
  const files = await resolveFiles({ patterns, workspace: tree.at('work') });
  const limit = maximumBytes === undefined ? {} : { maximumBytes };
  const attachment = await prepareAttachment(files, { temporary: tree.at('temporary'), ...limit });
  if (attachment === undefined) throw new Error('no attachment');
  return attachment;
}

async function bytesOf(attachment: Attachment): Promise<Buffer> {
  return collectBytes(attachment.open());
}

describe('the attachment of one file', () => {
  it('is the unchanged file under its own name', async () => {
    await withFileTree({ 'work/a/lcov.info': 'TN:\n' }, async (tree) => {
      const attachment = await attach(tree);
      expect(attachment).toMatchObject({ filename: 'lcov.info', size: 4, parts: [{ name: 'a/lcov.info', size: 4 }] });
      expect((await bytesOf(attachment)).toString()).toBe('TN:\n');
      attachment.dispose();
      expect(existsSync(tree.at('work', 'a', 'lcov.info'))).toBe(true);
      expect(existsSync(tree.at('temporary'))).toBe(false);
    });
  });

  it('is read in chunks, at the speed of the reader', async () => {
    await withFileTree({ 'work/f': Buffer.alloc(4_000_000) }, async (tree) => {
      const buffers = new Set<ArrayBufferLike>();
      for await (const chunk of (await attach(tree)).open()) {
        buffers.add(chunk.buffer);
        expect(chunk.length).toBeLessThanOrEqual(262_144);
      }
      // All chunks share one buffer, which is smaller than the 4 MB.
      expect([...buffers].map((memory) => memory.byteLength)).toEqual([262_144]);
    });
  });

  it('may be as large as the limit of the interface, but no larger', async () => {
    await withFileTree({ 'work/f': Buffer.alloc(maximumFileBytes) }, async (tree) => {
      expect((await attach(tree)).size).toBe(10_485_760);
      writeFileSync(tree.at('work', 'f'), Buffer.alloc(maximumFileBytes + 1));
      const mistake = await userErrorOf(() => attach(tree));
      expect(mistake.message).toBe(
        'The attachment is larger than the 10.0 MiB (10,485,760 bytes) that the service accepts:\n' +
          '  f: 10.0 MiB (10,485,761 bytes)',
      );
    });
  });
});

describe('the attachment of several files', () => {
  it('is a gzipped tar archive of them', async () => {
    const files = { 'work/b.txt': 'bb', 'work/a/c d.txt': 'ccc', 'work/.hidden': '' };
    await withFileTree(files, async (tree) => {
      const attachment = await attach(tree);
      const bytes = await bytesOf(attachment);
      expect(attachment.filename).toBe('evidence.tgz');
      expect(attachment.size).toBe(bytes.length);
      expect(attachment.parts.map(({ name, size }) => [name, size])).toEqual([
        ['.hidden', 0],
        ['a/c d.txt', 3],
        ['b.txt', 2],
      ]);
      expect(readTar(gunzipSync(bytes)).map(({ name, content }) => [name, content.toString()])).toEqual([
        ['.hidden', ''],
        ['a/c d.txt', 'ccc'],
        ['b.txt', 'bb'],
      ]);
    });
  });

  it("can be listed and unpacked with the system's tar", async () => {
    const long = `${'long-name-'.repeat(12)}/${'and-another-'.repeat(10)}.txt`;
    const files = { 'work/a.txt': 'a', [`work/${long}`]: 'long', 'work/ünï/文.txt': 'unicode', 'out/': '' };
    await withFileTree(files, async (tree) => {
      tree.write({ 'evidence.tgz': await bytesOf(await attach(tree)) });
      const options = {
        cwd: tree.root,
        encoding: 'utf8',
        env: { ...process.env, TZ: 'UTC', LC_ALL: 'en_US.UTF-8' },
      } as const;
      const listed = execFileSync('tar', ['-tzvf', 'evidence.tgz'], options).trim().split(/\r?\n/);
      expect(listed).toHaveLength(3);
      for (const line of listed) expect(line).toMatch(/^-rw-r--r--\s+0.0\s.*\b1980\b/);
      expect(listed.some((line) => line.endsWith(' a.txt'))).toBe(true);
      expect(listed.some((line) => line.endsWith(` ${long}`))).toBe(true);
      execFileSync('tar', ['-xzf', 'evidence.tgz', '-C', 'out'], options);
      expect(readFileSync(tree.at('out', 'a.txt'), 'utf8')).toBe('a');
      expect(readFileSync(tree.at('out', long), 'utf8')).toBe('long');
      expect(readFileSync(tree.at('out', 'ünï', '文.txt'), 'utf8')).toBe('unicode');
    });
  });

  it('has the same bytes regardless of the order, times and modes of the files', async () => {
    const one = { 'work/a': '1', 'work/b/c': '2', 'work/b/d': '3', 'work/é': '4' };
    const first = await withFileTree(one, async (tree) => bytesOf(await attach(tree)));
    const second = await withFileTree(Object.fromEntries(Object.entries(one).toReversed()), async (tree) => {
      utimesSync(tree.at('work', 'a'), 1, 1);
      chmodSync(tree.at('work', 'b', 'c'), 0o600);
      chmodSync(tree.at('work', 'b', 'd'), 0o755);
      return bytesOf(await attach(tree, { patterns: ['é', 'b/d', '**'] }));
    });
    expect(second.equals(first)).toBe(true);
  });

  it('names neither the system nor the time in its gzip header', async () => {
    await withFileTree({ 'work/a': '1', 'work/b': '2' }, async (tree) => {
      const header = (await bytesOf(await attach(tree))).subarray(0, 10);
      expect(header.toString('hex')).toBe('1f8b08000000000000ff');
    });
  });

  it('gives different names to files outside the workspace and to files of the same name', async () => {
    await withFileTree({ 'work/x': 'inside', x: 'outside', 'other/x': 'beside' }, async (tree) => {
      const bytes = await bytesOf(await attach(tree, { patterns: ['x', '../x', '../other/x'] }));
      expect(readTar(gunzipSync(bytes)).map(({ name, content }) => [name, content.toString()])).toEqual([
        ['__parent__/other/x', 'beside'],
        ['__parent__/x', 'outside'],
        ['x', 'inside'],
      ]);
    });
  });

  it('can be opened repeatedly until it is disposed of, and then leaves no files', async () => {
    await withFileTree({ 'work/a': '1', 'work/b': '2' }, async (tree) => {
      const attachment = await attach(tree);
      expect((await bytesOf(attachment)).equals(await bytesOf(attachment))).toBe(true);
      attachment.dispose();
      expect(readdirSync(tree.at('temporary'))).toEqual([]);
      attachment.dispose();
    });
  });

  it('does not change if the files change later', async () => {
    await withFileTree({ 'work/a': '1', 'work/b': '2' }, async (tree) => {
      const attachment = await attach(tree);
      const before = await bytesOf(attachment);
      writeFileSync(tree.at('work', 'a'), 'changed');
      expect((await bytesOf(attachment)).equals(before)).toBe(true);
    });
  });

  it('fails and leaves no files if a file changes before it is added', async () => {
    await withFileTree({ 'work/a': '1', 'work/b': '2' }, async (tree) => {
      const files = await resolveFiles({ patterns: ['.'], workspace: tree.at('work') });
      writeFileSync(tree.at('work', 'b'), 'longer');
      const mistake = await userErrorOf(() => prepareAttachment(files, { temporary: tree.at('temporary') }));
      expect(mistake.message).toContain('changed while it was read');
      expect(readdirSync(tree.at('temporary'))).toEqual([]);
    });
  });

  it('may be as large as the limit, but no larger', async () => {
    await withFileTree({ 'work/a': randomBytes(3000), 'work/b': '2' }, async (tree) => {
      const { size } = await attach(tree);
      expect((await attach(tree, { maximumBytes: size })).size).toBe(size);
      await userErrorOf(() => attach(tree, { maximumBytes: size - 1 }));
    });
  });

  it('lists the largest files first if they are too large, and leaves no files', async () => {
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`work/f${at}`, randomBytes(100 + at)]));
    await withFileTree({ ...many, 'work/large': randomBytes(2000) }, async (tree) => {
      const mistake = await userErrorOf(() => attach(tree, { maximumBytes: 1000 }));
      const lines = mistake.message.split('\n');
      expect(lines[0]).toBe(
        'The 26 files (4.7 KiB (4,800 bytes) together) are, even compressed, larger than the 1,000 bytes that the service accepts:',
      );
      expect(lines.slice(1, 4)).toEqual(['  large: 2.0 KiB (2,000 bytes)', '  f24: 124 bytes', '  f23: 123 bytes']);
      expect(lines.at(-1)).toBe('  and 6 more: 615 bytes together');
      expect(readdirSync(tree.at('temporary'))).toEqual([]);
    });
  });

  it('fails as soon as it exceeds the limit, long before everything is read', async () => {
    await withFileTree({ 'work/a': randomBytes(2_000_000), 'work/b': 'never read' }, async (tree) => {
      const files = await resolveFiles({ patterns: ['.'], workspace: tree.at('work') });
      // This file no longer exists, so reading it would be a different error.
      const [a, b] = files;
      if (a === undefined || b === undefined) throw new Error('two files were expected');
      const gone = { ...b, path: tree.at('gone') };
      const mistake = await userErrorOf(() =>
        prepareAttachment([a, gone], { temporary: tree.at('temporary'), maximumBytes: 1_000 }),
      );
      expect(mistake.message).toContain('larger than');
      const huge = { ...gone, size: 2 ** 40 };
      const refused = await userErrorOf(() => prepareAttachment([huge, b], { temporary: tree.at('temporary') }));
      expect(refused.message).toContain('b: 1.0 TiB');
    });
  });

  it('ends and leaves no files if the step is cancelled meanwhile', async () => {
    await withFileTree({ 'work/a': randomBytes(2_000_000), 'work/b': '2' }, async (tree) => {
      const files = await resolveFiles({ patterns: ['.'], workspace: tree.at('work') });
      const cancelling = new AbortController();
      const cancelled = new Error('the step was cancelled');
      const made = prepareAttachment(files, { temporary: tree.at('temporary'), signal: cancelling.signal });
      cancelling.abort(cancelled);
      await expect(made).rejects.toBe(cancelled);
      expect(readdirSync(tree.at('temporary'))).toEqual([]);
    });
  });

  it('contains all names and contents', async () => {
    const name = fc.stringMatching(/^[a-c]{1,3}$/);
    const contents = fc.dictionary(name, fc.uint8Array({ maxLength: 2000 }), {
      minKeys: 2,
      maxKeys: 6,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(contents, async (files) => {
        const placed = Object.fromEntries(Object.entries(files).map(([path, content]) => [`work/${path}`, content]));
        await withFileTree(placed, async (tree) => {
          const entries = readTar(gunzipSync(await bytesOf(await attach(tree))));
          expect(Object.fromEntries(entries.map((entry) => [entry.name, new Uint8Array(entry.content)]))).toEqual(
            files,
          );
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe('the attachment of no files', () => {
  it('is undefined', async () => {
    expect(await prepareAttachment([], { temporary: '/nowhere' })).toBeUndefined();
  });
});
