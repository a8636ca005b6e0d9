import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
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
