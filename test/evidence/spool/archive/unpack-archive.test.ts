import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Unpacker, type Unpacked, type UnpackLimits } from '../../../../src/evidence/spool/archive/unpack-archive.ts';
import { forgeTar, forgeTarGz, forgeZip, paxRecord, tarEntries, type ForgedEntry } from '../../../support/archives.ts';
import { itAsOnUbuntu } from '../../../support/platform.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../../support/temporary-workspace.ts';

let workspace: TemporaryWorkspace;
let parent: string;

beforeEach(async () => {
  workspace = await temporaryWorkspace();
  parent = join(workspace.path, 'temporary');
  await mkdir(parent);
});

afterEach(() => workspace.remove());

async function unpack(name: string, bytes: Uint8Array, limits?: UnpackLimits): Promise<Unpacked> {
  await workspace.write(name, bytes);
  return new Unpacker(parent, limits).unpack(join(workspace.path, name));
}

/** The files of an unpacked archive, by their paths. */
async function filesOf(unpacked: Unpacked): Promise<Readonly<Record<string, string>>> {
  if ('problem' in unpacked) throw new Error(unpacked.problem);
  const entries = await readdir(unpacked.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((path) => readFile(path, 'latin1')));
  return Object.fromEntries(
    files.map((path, at) => [relative(unpacked.folder, path).replaceAll('\\', '/'), contents[at] ?? '']),
  );
}

async function problemOf(name: string, bytes: Uint8Array, limits?: UnpackLimits): Promise<string> {
  const unpacked = await unpack(name, bytes, limits);
  return 'problem' in unpacked ? unpacked.problem : 'none';
}

const item: readonly ForgedEntry[] = [
  { name: 'spool/' },
  { name: 'spool/item/manifest.json', content: '{"version":1}' },
  { name: 'spool/item/attachment', content: 'x'.repeat(100_000) },
  { name: 'spool/.incomplete-other/manifest.json', content: '{}' },
];
const tarItem = item.map((entry) => ({ ...entry, type: entry.name.endsWith('/') ? '5' : '0' }));
const unpackedItem = {
  'spool/item/manifest.json': '{"version":1}',
  'spool/item/attachment': 'x'.repeat(100_000),
};

const small: UnpackLimits = { entries: 3, fileBytes: 1000, totalBytes: 1500 };
const tooMany = Array.from({ length: 4 }, (_, at) => ({ name: `f${at}` }));
const tooMuch = ['a', 'b'].map((name) => ({ name, content: 'x'.repeat(900) }));

/** What both formats refuse. */
const hostileEntries: readonly (readonly [what: string, entries: readonly ForgedEntry[], reason: string])[] = [
  ['a path that leads out', [{ name: 'a/../../evil' }], 'its entry "a/../../evil" leads out of the archive'],
  ['a parent folder', [{ name: '../' }], 'leads out of the archive'],
  ['an absolute path', [{ name: '/etc/passwd' }], 'is an absolute path'],
  ['a drive of Windows', [{ name: 'C:evil' }], 'is an absolute path'],
  ['a path of Windows', [{ name: 'a\\..\\..\\evil' }], 'cannot have on all systems'],
  ['a stream of Windows', [{ name: 'a/manifest.json:evil' }], 'cannot have on all systems'],
  ['a line break in a name', [{ name: 'a\n::error::evil' }], '"a\\n::error::evil" has a name'],
  ['an empty part of a path', [{ name: 'a//b' }], 'is not a plain path'],
  ['a deep path', [{ name: 'a/'.repeat(17) }], 'is nested too deeply'],
  ['the same name twice', [{ name: 'a/b' }, { name: 'a/b' }], 'has the name of another entry'],
  ['names that differ in case', [{ name: 'a/Ä' }, { name: 'A/ä' }], 'has the name of another entry'],
  ['a file with files in it', [{ name: 'a' }, { name: 'a/b' }], 'has the name of another entry'],
  ['a folder that is a file', [{ name: 'a/b' }, { name: 'a' }], 'has the name of another entry'],
];

/** What both formats refuse because of limits. */
const tooLarge: readonly (readonly [what: string, entries: readonly ForgedEntry[], reason: string])[] = [
  ['too many entries', tooMany, 'it has more than 3 entries'],
  ['a large file', [{ name: 'a', content: 'x'.repeat(1001) }], '"a" is larger than 1000 bytes'],
  ['too many bytes', tooMuch, 'have more than 1500 bytes when unpacked'],
];

describe.each([
  ['zip', forgeZip],
  ['tar', forgeTar],
  ['tar.gz', forgeTarGz],
  ['TGZ', forgeTarGz],
] as const)('an archive in the format %s', (format, forge) => {
  it('is unpacked, without hidden files', async () => {
    const bytes = format === 'zip' ? forgeZip(item) : forge(tarItem);
    expect(await filesOf(await unpack(`4242.${format}`, bytes))).toEqual(unpackedItem);
  });

  it.each(hostileEntries)('is refused if it has %s', async (_what, entries, reason) => {
    const problem = await problemOf(`a.${format}`, forge(entries));
    expect(problem).toMatch(/^cannot be unpacked: /u);
    expect(problem).toContain(reason);
    expect(await readdir(workspace.path)).toEqual([`a.${format}`, 'temporary']);
  });

  it.each(tooLarge)('is refused if it has %s', async (_what, entries, reason) => {
    expect(await problemOf(`a.${format}`, forge(entries), small)).toContain(reason);
  });

  it('is refused wherever it is cut off', async () => {
    const bytes = forge([{ name: 'item/manifest.json', content: '{}' }]);
    const cuts = fc.integer({ min: 0, max: bytes.length - 1 });
    await fc.assert(
      fc.asyncProperty(cuts, async (length) => {
        expect(await problemOf(`a.${format}`, bytes.subarray(0, length))).toMatch(/^cannot be unpacked: it/u);
      }),
      { numRuns: 50 },
    );
  });

  it('never does harm, whatever is changed in it', async () => {
    const bytes = forge([
      { name: 'a/b', content: 'one' },
      { name: 'c', content: 'other' },
    ]);
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const changed = Buffer.from(bytes);
        for (const [at, byte] of list) changed[at] = byte;
        await unpack(`a.${format}`, changed, { ...small, totalBytes: 1_000_000 });
        expect(await readdir(workspace.path)).toEqual([`a.${format}`, 'temporary']);
      }),
      { numRuns: 60 },
    );
  });

  it('gives the files that were packed', async () => {
    const names = fc.stringMatching(/^[a-z0-9_-]{1,12}(?:\/[a-z0-9_-]{1,12}){0,3}$/u);
    const files = fc.uniqueArray(fc.tuple(names, fc.uint8Array({ maxLength: 2000 })), {
      selector: ([name]) => name.split('/')[0],
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(files, async (list) => {
        const bytes = forge(list.map(([name, content]) => ({ name, content })));
        const expected = list.map(([name, content]) => [name, Buffer.from(content).toString('latin1')]);
        expect(await filesOf(await unpack(`a.${format}`, bytes))).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 25 },
    );
  });
});

describe('a zip archive', () => {
  const file = { name: 'a', content: 'the content' };

  it('may have its sizes behind the content, and stored entries, as those of artifacts', async () => {
    const bytes = forgeZip([
      { ...file, described: true },
      { name: 'b', content: 'stored', stored: true, described: true },
    ]);
    expect(await filesOf(await unpack('a.zip', bytes))).toEqual({ a: 'the content', b: 'stored' });
  });

  it.each([
    ['is encrypted', [{ ...file, flags: 0x801 }], {}, '"a" is encrypted'],
    ['has an encrypted directory', [{ ...file, flags: 0x2800 }], {}, '"a" is encrypted'],
    ['has another compression', [{ ...file, method: 14 }], {}, '"a" has the compression method 14'],
    ['has a symbolic link', [{ ...file, mode: 0o120777 }], {}, '"a" is a symbolic link'],
    ['has a device', [{ ...file, mode: 0o060666 }], {}, '"a" is neither a file nor a folder'],
    ['has a folder with content', [{ name: 'a/', content: 'x' }], {}, '"a/" is a folder with content'],
    ['claims a smaller size', [{ ...file, size: 3 }], {}, '"a" does not have the 3 bytes that it claims'],
    ['claims a larger size', [{ ...file, size: 30 }], {}, '"a" does not have the 30 bytes that it claims'],
    ['stores another size', [{ ...file, stored: true, size: 5 }], {}, '"a" has two sizes'],
    ['has a wrong checksum', [{ ...file, crc: 1 }], {}, '"a" has a wrong checksum'],
    ['has two names for an entry', [{ ...file, localName: 'b' }], {}, '"a" is another in the directory'],
    ['has entries that share content', [file, { ...file, name: 'b', offset: 0 }], {}, 'overlaps'],
    ['has an entry in its directory', [{ ...file, offset: 60 }], {}, 'is another in the directory'],
    ['uses Zip64 for a size', [{ ...file, size: 0xffffffff }], {}, 'it uses Zip64'],
    ['uses Zip64 for its directory', [file], { directoryOffset: 0xffffffff }, 'it uses Zip64'],
    ['uses Zip64 for its entries', [file], { count: 0xffff }, 'it uses Zip64'],
    ['has several parts', [file], { disk: 1 }, 'it has several parts'],
    ['has fewer entries than it says', [file], { count: 2 }, 'its directory is malformed'],
    ['has more entries than it says', [file, { name: 'b' }], { count: 1 }, 'its directory is malformed'],
    ['has its directory elsewhere', [file], { directoryOffset: 3 }, 'its directory is not where it should be'],
  ] as const)('is refused if it %s', async (_what, entries, end, reason) => {
    expect(await problemOf('a.zip', forgeZip(entries, end))).toContain(reason);
  });

  it('may have a comment, and is refused if anything follows', async () => {
    expect(await filesOf(await unpack('a.zip', forgeZip([file], { comment: 'made today' })))).toEqual({
      a: 'the content',
    });
    expect(await problemOf('a.zip', Buffer.concat([forgeZip([file]), Buffer.from('more')]))).toContain('not a zip');
  });

  it('does not become larger than it says, however well it is compressed', async () => {
    const bomb = forgeZip([{ name: 'a', content: Buffer.alloc(50_000_000), size: 1000 }]);
    expect(bomb.length).toBeLessThan(60_000);
    expect(await problemOf('a.zip', bomb)).toContain('does not have the 1000 bytes that it claims');
  });
});

describe('a tar archive', () => {
  const file = { name: 'a', content: 'the content' };
  const longName = `${'long/'.repeat(8)}${'n'.repeat(120)}`;

  it.each([
    ['a pax record', { name: 'x', type: 'x', content: paxRecord('mtime', '1.5') + paxRecord('path', longName) }],
    ['a header of GNU tar', { name: '././@LongLink', type: 'L', content: `${longName}\0` }],
  ])('may have a long name in %s', async (_what, before) => {
    const bytes = forgeTar([before, { name: 'short', content: 'x' }, file]);
    expect(await filesOf(await unpack('a.tar', bytes))).toEqual({ [longName]: 'x', a: 'the content' });
  });

  it('may begin with its own folder, as `tar -C folder .` writes it', async () => {
    const bytes = forgeTar([
      { name: './', type: '5' },
      { ...file, name: './a' },
    ]);
    expect(await filesOf(await unpack('a.tar', bytes))).toEqual({ a: 'the content' });
  });

  it.each([
    ['a symbolic link', [{ name: 'a', type: '2', target: '/etc/passwd' }], '"a" is a symbolic link'],
    ['a hard link', [{ name: 'a', type: '1', target: 'b' }], '"a" is a hard link'],
    ['a character device', [{ name: 'a', type: '3' }], '"a" is a device'],
    ['a block device', [{ name: 'a', type: '4' }], '"a" is a device'],
    ['a named pipe', [{ name: 'a', type: '6' }], '"a" is a named pipe'],
    ['a sparse file', [{ name: 'a', type: 'S' }], '"a" is a sparse file'],
    ['an unknown kind of entry', [{ name: 'a', type: 'V' }], '"a" is neither a file nor a folder'],
    ['a folder with content', [{ name: 'a', type: '5', content: 'x' }], '"a" is a folder with content'],
    ['a wrong checksum', [{ ...file, wrongChecksum: true }], 'has a wrong checksum'],
    ['a bad path in a pax record', [paxHeader(paxRecord('path', '../evil')), file], '"../evil" leads out'],
    ['a huge size in a pax record', [paxHeader(paxRecord('size', '99999999999')), file], 'is larger than'],
    ['a negative size in a pax record', [paxHeader(paxRecord('size', '-1')), file], 'malformed size'],
    ['a sparse file in a pax record', [paxHeader(paxRecord('GNU.sparse.major', '1')), file], 'sparse'],
    ['one name for all its entries', [{ ...paxHeader(paxRecord('path', 'b')), type: 'g' }, file], 'one name'],
    ['a malformed pax record', [paxHeader('999 path=b\n'), file], 'a malformed pax record'],
    ['a pax record without length', [paxHeader('path=b\n'), file], 'a malformed pax record'],
    ['a pax record of length 0', [paxHeader('0 path=b\n'), file], 'a malformed pax record'],
    ['a huge description', [{ name: 'x', type: 'x', size: 70_000 }], 'has a description of 70000 bytes'],
  ])('is refused if it has %s', async (_what, entries, reason) => {
    expect(await problemOf('a.tar', forgeTar(entries))).toContain(reason);
  });

  it('is refused if its header has a number of more than eleven digits', async () => {
    const bytes = forgeTar([file]);
    // Base 256, which GNU tar writes from 8 GiB.
    bytes[124] = 0x80;
    expect(await problemOf('a.tar', bytes)).toContain('wrong checksum');
  });

  it('is refused if it goes on after its end', async () => {
    const bytes = Buffer.concat([forgeTar([file]), tarEntries([{ name: 'b' }])]);
    expect(await problemOf('a.tar', bytes)).toContain('it goes on after its end');
  });

  it('does not become larger than allowed, however well it is compressed', async () => {
    const bomb = gzipSync(Buffer.concat([forgeTar([file]), Buffer.alloc(50_000_000)]));
    expect(await problemOf('a.tgz', bomb, small)).toContain('bytes when unpacked');
  });

  it('is refused if it is not compressed as its name says', async () => {
    expect(await problemOf('a.tar.gz', forgeTar([file]))).toContain('compressed data is damaged');
    expect(await problemOf('a.tar', forgeTarGz([file]))).toMatch(/cannot be unpacked: (?:the header|it is cut off)/u);
  });

  itAsOnUbuntu('of GNU tar is read', async () => {
    await workspace.write(`spool/${longName}`, 'z');
    execFileSync('tar', ['-czf', 'p.tgz', 'spool'], { cwd: workspace.path });
    const unpacked = await new Unpacker(parent).unpack(join(workspace.path, 'p.tgz'));
    expect(await filesOf(unpacked)).toEqual({ [`spool/${longName}`]: 'z' });
  });
});

describe('Unpacker', () => {
  it('counts the bytes of all archives, and removes everything at the end', async () => {
    const unpacker = new Unpacker(parent, small);
    await workspace.write('a.zip', forgeZip([{ name: 'a', content: 'x'.repeat(900) }]));
    const archive = join(workspace.path, 'a.zip');
    expect(await unpacker.unpack(archive)).toHaveProperty('folder');
    expect(await unpacker.unpack(archive)).toHaveProperty('problem', expect.stringContaining('1500 bytes'));
    await unpacker.remove();
    expect(await readdir(parent)).toEqual([]);
  });
});

function paxHeader(content: string): { readonly name: string; readonly type: string; readonly content: string } {
  return { name: 'PaxHeader', type: 'x', content };
}
