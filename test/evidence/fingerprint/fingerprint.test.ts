import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { computeFingerprint } from '../../../src/evidence/fingerprint/fingerprint.ts';
import { withFileTree } from '../../support/file-tree.ts';
import { itWithPermissions, itWithPosixFiles } from '../../support/platform.ts';
import { userErrorOf } from '../../support/user-error.ts';

const linuxOnly = process.platform === 'linux' ? it : it.skip;

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function ofTree(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  return withFileTree(files, ({ root }) => computeFingerprint(root));
}

describe('the fingerprint of a file', () => {
  it('is the SHA-256 of its content', async () => {
    await withFileTree({ f: 'this is non empty', empty: '' }, async ({ at }) => {
      expect(await computeFingerprint(at('f'))).toBe(
        '1256d6510a6606ad61a4f6104243a291b18383b456d50205eba893b51e1807bc',
      );
      expect(await computeFingerprint(at('empty'))).toBe(
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      );
    });
  });

  itWithPosixFiles("is its target's where it is a link", async () => {
    await withFileTree({ f: 'content' }, async ({ at, link }) => {
      link('link', 'f');
      expect(await computeFingerprint(at('link'))).toBe(sha256('content'));
    });
  });
});

describe('the fingerprint of a special file', () => {
  linuxOnly('is that of what it holds, whatever size the system gives', async () => {
    expect(await computeFingerprint('/proc/version')).toBe(sha256(readFileSync('/proc/version')));
    expect(await computeFingerprint('/proc/version')).not.toBe(sha256(''));
  });

  itWithPosixFiles('is refused if it is a pipe or a device, which may never end', async () => {
    await withFileTree({ x: '' }, async ({ at }) => {
      execFileSync('mkfifo', [at('pipe')]);
      for (const path of [at('pipe'), '/dev/zero']) {
        expect((await userErrorOf(() => computeFingerprint(path))).message).toContain(
          'is neither a file nor a directory',
        );
      }
    });
  });
});

describe('the fingerprint of a directory', () => {
  // Values of the service's public command-line client.
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['without anything', {}, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [
      'with one file',
      { 'file.extra': 'this is known extra content' },
      'c71f5baef8cce289c9b7c971cf219e21b787a025af68ad6539b82634fe62819e',
    ],
    [
      'with a directory in it',
      { 'sample.yaml': 'some content. And some more.', 'nested-dir/file1': 'content1', 'nested-dir/file2': 'content2' },
      '5d3c17dae9e208bbb92ee04ff8342abf77cb0959764def4af3ccfe9a2109d4a7',
    ],
    [
      'with a directory of another name in it',
      {
        'sample.yaml': 'some content. And some more.',
        'nested-dir2/file1': 'content1',
        'nested-dir2/file2': 'content2',
      },
      'db40d79b3a15b17ee9fcc2f49aa73736e0073de6b5a35c459268bb9a31e55139',
    ],
  ])('%s equals that of the public client', async (_, files, expected) => {
    expect(await ofTree(files)).toBe(expected);
  });

  it('adds names and contents in the order of the walk, a directory at the place of its name', async () => {
    const parts = ['B', 'empty', 'a', 'z', 'last', 'a-b', 'text', 'a.txt', 'txt'];
    const [upper = '', none = '', ...others] = parts.map(sha256);
    expect(await ofTree({ 'a.txt': 'txt', 'a-b': 'text', 'a/z': 'last', 'B/': '', 'a/': '' })).toBe(
      sha256([upper, ...others].join('')),
    );
    expect(none).toBe(sha256('empty'));
  });

  it('does not depend on its own name, on times, modes and the order in which files were made', async () => {
    const files = { a: '1', 'b/c': '2', 'b/d': '3' };
    const expected = await ofTree(files);
    await withFileTree({ 'deep/down/b/d': '3', 'deep/down/b/c': '2', 'deep/down/a': '1' }, async ({ at }) => {
      chmodSync(at('deep/down/b/c'), 0o755);
      utimesSync(at('deep/down/a'), 1, 1);
      expect(await computeFingerprint(at('deep/down'))).toBe(expected);
      expect(await computeFingerprint(at('deep/down/'))).toBe(expected);
    });
  });

  it('changes with an empty directory, a name and a content', async () => {
    const trees = [{ a: '1' }, { a: '2' }, { b: '1' }, { a: '1', 'c/': '' }, { a: '1', 'c/d/': '' }, { 'c/a': '1' }];
    const fingerprints = await Promise.all(trees.map(ofTree));
    expect(new Set(fingerprints).size).toBe(trees.length);
  });

  itWithPosixFiles('takes the content behind a link to a file, and the text of a link to a directory', async () => {
    await withFileTree({ 'r/dir/x': '1', outside: '2' }, async ({ at, link }) => {
      link('r/file', '../outside');
      link('r/here', 'dir');
      const parts = ['dir', 'x', '1', 'file', '2', 'here', 'dir'];
      expect(await computeFingerprint(at('r'))).toBe(sha256(parts.map(sha256).join('')));
    });
  });

  itWithPosixFiles('does not go round in circles of links', async () => {
    await withFileTree({}, async ({ root, link }) => {
      link('self', '.');
      expect(await computeFingerprint(root)).toBe(sha256(['self', '.'].map(sha256).join('')));
    });
  });

  itWithPosixFiles("is its target's where the directory itself is given as a link", async () => {
    await withFileTree({ 'real/a': '1', 'real/.kosli_ignore': 'b', 'real/b': '2' }, async ({ at, link }) => {
      link('link', 'real');
      expect(await computeFingerprint(at('link'))).toBe(await computeFingerprint(at('real')));
    });
  });

  linuxOnly('holds names as the file system has them, UTF-8 or not', async () => {
    await withFileTree({ 'a/': '', '😀': '1', '～': '2' }, async ({ root }) => {
      const odd = Buffer.from([0xff, 0xfe]);
      writeFileSync(Buffer.concat([Buffer.from(`${root}/a/`), odd]), '3');
      const digests = ['a', odd, '3', '～', '2', '😀', '1'].map(sha256);
      expect(await computeFingerprint(root)).toBe(sha256(digests.join('')));
    });
  });

  it('leaves out what the ignore file lists, but includes the ignore file itself', async () => {
    const kept = { 'a.js': '1', 'lib/b.js': '2', '.kosli_ignore': '*.log # noise\nlib/cache' };
    const parts = ['.kosli_ignore', kept['.kosli_ignore'], 'a.js', '1', 'lib', 'b.js', '2'];
    const expected = sha256(parts.map(sha256).join(''));
    expect(await ofTree(kept)).toBe(expected);
    expect(await ofTree({ ...kept, 'x.log': '3', 'lib/cache/deep/y': '4' })).toBe(expected);
    expect(await ofTree({ ...kept, 'lib/x.log': '3' })).not.toBe(expected);
  });

  it('counts thousands of entries, and large files among small ones', async () => {
    const names = Array.from({ length: 1500 }, (_, at) => `file-${String(at).padStart(4, '0')}`);
    const large = Buffer.alloc(3_000_000, 'large');
    const files = { ...Object.fromEntries(names.map((name) => [name, name])), 'm/large': large };
    const digests = names.flatMap((name) => [sha256(name), sha256(name)]);
    expect(await ofTree(files)).toBe(sha256([...digests, sha256('m'), sha256('large'), sha256(large)].join('')));
  });

  it('equals a naive computation from the list of all paths', async () => {
    const name = fc.constantFrom('a', 'b', 'a.b', 'a-b', 'ab', 'é', '😀');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(path, fc.string(), { maxKeys: 8, noNullPrototype: true }), async (drawn) => {
        const paths = Object.keys(drawn);
        const files = Object.fromEntries(
          Object.entries(drawn).filter(([one]) => !paths.some((other) => other.startsWith(`${one}/`))),
        );
        expect(await ofTree(files)).toBe(naiveFingerprint(files));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a fingerprint is refused', () => {
  it('if the path does not exist', async () => {
    await withFileTree({}, async ({ at }) => {
      expect((await userErrorOf(() => computeFingerprint(at('gone')))).message).toMatch(
        /gone cannot be read: no such file/,
      );
    });
  });

  itWithPosixFiles('of broken links, alone or in a directory', async () => {
    await withFileTree({ 'd/': '' }, async ({ at, link }) => {
      link('d/link', 'nowhere');
      for (const path of [at('d'), at('d', 'link')]) {
        const mistake = await userErrorOf(() => computeFingerprint(path));
        expect(mistake.message).toBe(`${at('d', 'link')} is a symbolic link to something that does not exist`);
      }
    });
  });

  itWithPosixFiles('of sockets, alone, in a directory or behind a link', async () => {
    await withFileTree({ 'd/': '', 'e/': '' }, async ({ at, link }) => {
      link('e/link', '../d/socket');
      const server = createServer().listen(at('d', 'socket'));
      await once(server, 'listening');
      try {
        for (const path of [at('d'), at('d', 'socket'), at('e')]) {
          expect((await userErrorOf(() => computeFingerprint(path))).message).toContain(
            'is neither a file nor a directory',
          );
        }
      } finally {
        server.close();
      }
    });
  });

  itWithPermissions('of files that may not be read (not as root, who may read everything)', async () => {
    await withFileTree({ 'd/secret': '' }, async ({ at }) => {
      chmodSync(at('d', 'secret'), 0);
      expect((await userErrorOf(() => computeFingerprint(at('d')))).message).toMatch(/secret cannot be read: .*EACCES/);
    });
  });
});

/** All entries in one sorted list: with NUL instead of slashes, paths sort in the order of the walk. */
function naiveFingerprint(files: Readonly<Record<string, string>>): string {
  const entries = new Map<string, string | undefined>();
  for (const [path, content] of Object.entries(files)) {
    const names = path.split('/');
    for (let depth = 1; depth < names.length; depth += 1) entries.set(names.slice(0, depth).join('\0'), undefined);
    entries.set(names.join('\0'), content);
  }
  const sorted = [...entries].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const digests = sorted.map(([path, content]) => {
    const name = sha256(path.slice(path.lastIndexOf('\0') + 1));
    return content === undefined ? name : name + sha256(content);
  });
  return sha256(digests.join(''));
}
