import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { errorMessage } from '../../../../src/runtime/failure.ts';
import {
  DamagedAttachmentError,
  type AttachedContent,
  type AttachmentFault,
} from '../../../../src/service/storage/attachments.ts';
import { AttachmentFolder } from '../../../../src/service/storage/files/attachment-folder.ts';
import { StorageFullError } from '../../../../src/service/storage/storage-error.ts';
import { itWithPosixFiles } from '../../../support/platform.ts';

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

describe('the folder of attachments', () => {
  let folder: string;
  let attachments: AttachmentFolder;
  const open = (): Promise<AttachmentFolder> => AttachmentFolder.open(folder, (size) => randomBytes(size));
  const receive = (...chunks: Buffer[]): ReturnType<AttachmentFolder['receive']> =>
    attachments.receive(Readable.from(chunks));
  const files = async (): Promise<string[]> =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
  const content = async (record: AttachedContent): Promise<Buffer> => buffer(await attachments.read(record));
  const pathOf = (digest: string): string => join(folder, 'content', digest.slice(0, 2), digest);
  const keep = async (whole: Buffer): Promise<AttachedContent> => {
    const received = await receive(whole);
    await received.keep();
    await received.discard();
    return received;
  };

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'compliance-attachments-')), 'attachments');
    attachments = await open();
  });
  afterEach(async () => {
    await rm(join(folder, '..'), { recursive: true });
  });

  it('stores received content under its digest', async () => {
    const chunks = [randomBytes(70_000), Buffer.alloc(0), randomBytes(3)];
    const whole = Buffer.concat(chunks);
    const received = await receive(...chunks);
    expect(received).toMatchObject({ digest: digestOf(whole), size: 70_003 });
    await expect(content(received)).rejects.toMatchObject({ fault: 'missing' });
    await received.keep();
    expect(await content(received)).toEqual(whole);
    await received.discard();
    expect(await content(received)).toEqual(whole);
    expect(await files()).toEqual([received.digest]);
  });

  it('marks stored content as an upload in progress until it is released', async () => {
    const received = await receive(Buffer.from('a'));
    await received.keep();
    const [upload] = await readdir(join(folder, 'incoming'));
    const [{ ino: marked }, { ino: stored }] = [
      await stat(join(folder, 'incoming', String(upload))),
      await stat(pathOf(received.digest)),
    ];
    expect(marked).toBe(stored);
    await received.discard();
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('stores an empty file, too', async () => {
    const received = await receive();
    await received.keep();
    expect(await content(received)).toEqual(Buffer.alloc(0));
  });

  it('stores the same content once, also with concurrent uploads', async () => {
    const [one, other] = await Promise.all([receive(Buffer.from('same')), receive(Buffer.from('same'))]);
    await Promise.all([one.keep(), other.keep()]);
    await Promise.all([one.discard(), other.discard()]);
    expect(await files()).toEqual([digestOf(Buffer.from('same'))]);
  });

  it('removes discarded content, and keeps what was stored before', async () => {
    const [discarded, kept] = [await receive(Buffer.from('one')), await receive(Buffer.from('two'))];
    await discarded.discard();
    await kept.keep();
    await kept.discard();
    expect(await files()).toEqual([kept.digest]);
  });

  it('leaves nothing of a failing stream', async () => {
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('a beginning');
        await Promise.reject(new Error('the sender is gone'));
      })(),
    );
    await expect(attachments.receive(failing)).rejects.toThrow('the sender is gone');
    expect(await files()).toEqual([]);
  });

  it('reports a full disk', async () => {
    const full = Readable.from(
      (async function* () {
        yield Buffer.from('a beginning');
        await Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
      })(),
    );
    await expect(attachments.receive(full)).rejects.toBeInstanceOf(StorageFullError);
  });

  it.each([
    ['EACCES', 'inaccessible'],
    ['EROFS', 'read-only'],
    ['EMFILE', 'exhausted'],
    ['EIO', 'failing'],
    ['EDQUOT', 'full'],
    ['EFBIG', 'full'],
    ['ESTALE', 'missing'],
  ])('says what is wrong with the storage when a write fails with %s', async (code, reason) => {
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('a beginning');
        await Promise.reject(Object.assign(new Error(`${code}: write '/secret/path'`), { code }));
      })(),
    );
    const error: unknown = await attachments.receive(failing).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: expect.stringMatching(/^Storage/u) as unknown, reason });
    expect(errorMessage(error)).not.toContain('/secret/path');
    expect(await files()).toEqual([]);
  });

  describe('content that is not what was received', () => {
    // More than one chunk, and not a whole number of them.
    const whole = randomBytes(700_000);

    it.each<[string, AttachmentFault, (path: string) => Promise<void>]>([
      ['is altered in its last byte', 'altered', (path) => writeFile(path, flipped(whole, whole.length - 1))],
      ['is altered in its first byte', 'altered', (path) => writeFile(path, flipped(whole, 0))],
      ['has a byte more', 'altered', (path) => writeFile(path, Buffer.concat([whole, Buffer.alloc(1)]))],
      ['lacks its last byte', 'truncated', (path) => truncate(path, whole.length - 1)],
      ['is empty', 'truncated', (path) => truncate(path, 0)],
      ['is gone', 'missing', (path) => rm(path)],
    ])('is an error before the first byte when it %s', async (_how, fault, damage) => {
      const record = await keep(whole);
      await damage(pathOf(record.digest));
      await expect(attachments.read(record)).rejects.toMatchObject({ name: 'DamagedAttachmentError', fault });
      await expect(attachments.verify(record)).rejects.toBeInstanceOf(DamagedAttachmentError);
    });

    it('makes the stream fail if it is altered while it is read', async () => {
      const record = await keep(whole);
      const stream = await attachments.read(record);
      await writeFile(pathOf(record.digest), flipped(whole, 600_000));
      await expect(buffer(stream)).rejects.toMatchObject({ fault: 'altered' });
    });

    it('is repaired by an upload of the same content', async () => {
      const record = await keep(whole);
      await truncate(pathOf(record.digest), 10);
      await keep(whole);
      expect((await content(record)).equals(whole)).toBe(true);
    });
  });

  it('is distinguished from missing storage', async () => {
    const record = await keep(Buffer.from('kept'));
    await rename(join(folder, 'content'), join(folder, 'elsewhere'));
    await expect(attachments.read(record)).rejects.toMatchObject({ name: 'StorageError', reason: 'missing' });
    const received = await receive(Buffer.from('new'));
    await expect(received.keep()).rejects.toMatchObject({ reason: 'missing' });
    await expect(attachments.probe()).rejects.toMatchObject({ reason: 'missing' });
    await rename(join(folder, 'elsewhere'), join(folder, 'content'));
    await received.keep();
    expect(await content(received)).toEqual(Buffer.from('new'));
  });

  it('leaves nothing of a probe', async () => {
    await attachments.probe();
    expect(await files()).toEqual([]);
    await rename(join(folder, 'incoming'), join(folder, 'elsewhere'));
    await expect(attachments.probe()).rejects.toMatchObject({ reason: 'missing' });
    await expect(receive(Buffer.from('new'))).rejects.toMatchObject({ reason: 'missing' });
  });

  itWithPosixFiles('is for its owner alone, with all that is in it', async () => {
    const received = await receive(Buffer.from('on its way'));
    await keep(Buffer.from('kept'));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect([entry.name, (mode & 0o777).toString(8)]).toEqual([entry.name, entry.isDirectory() ? '700' : '600']);
    }
    await received.discard();
  });
});

function flipped(content: Buffer, place: number): Buffer {
  const copy = Buffer.from(content);
  copy[place] = (copy[place] ?? 0) ^ 1;
  return copy;
}
