import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AttachmentFolder } from '../../../../src/service/store/files/attachment-folder.ts';
import { StorageFullError } from '../../../../src/service/store/store.ts';

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
  const content = async (digest: string): Promise<Buffer | undefined> => {
    const stream = await attachments.read(digest);
    return stream === undefined ? undefined : buffer(stream);
  };

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'compliance-attachments-')), 'attachments');
    attachments = await open();
  });
  afterEach(async () => {
    await rm(join(folder, '..'), { recursive: true });
  });

  it('keeps what it receives under its digest', async () => {
    const chunks = [randomBytes(70_000), Buffer.alloc(0), randomBytes(3)];
    const whole = Buffer.concat(chunks);
    const received = await receive(...chunks);
    expect(received).toMatchObject({ digest: digestOf(whole), size: 70_003 });
    expect(await content(received.digest)).toBeUndefined();
    await received.keep();
    expect(await content(received.digest)).toEqual(whole);
    expect(await files()).toEqual([received.digest]);
  });

  it('keeps an empty file too', async () => {
    const received = await receive();
    await received.keep();
    expect(await content(received.digest)).toEqual(Buffer.alloc(0));
  });

  it('keeps the same content once, also when it comes twice at once', async () => {
    const [one, other] = await Promise.all([receive(Buffer.from('same')), receive(Buffer.from('same'))]);
    await Promise.all([one.keep(), other.keep()]);
    expect(await files()).toEqual([digestOf(Buffer.from('same'))]);
  });

  it('leaves nothing of what is discarded, and all of what was kept before', async () => {
    const [discarded, kept] = [await receive(Buffer.from('one')), await receive(Buffer.from('two'))];
    await discarded.discard();
    await kept.keep();
    await kept.discard();
    expect(await files()).toEqual([kept.digest]);
  });

  it('leaves nothing of a stream that fails', async () => {
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('a beginning');
        await Promise.reject(new Error('the sender is gone'));
      })(),
    );
    await expect(attachments.receive(failing)).rejects.toThrow('the sender is gone');
    expect(await files()).toEqual([]);
  });

  it('says so when there is no room', async () => {
    const full = Readable.from(
      (async function* () {
        yield Buffer.from('a beginning');
        await Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
      })(),
    );
    await expect(attachments.receive(full)).rejects.toBeInstanceOf(StorageFullError);
  });

  it('sweeps what a crash left, and nothing that a record names', async () => {
    const [named, orphan] = [await receive(Buffer.from('named')), await receive(Buffer.from('orphan'))];
    await named.keep();
    await orphan.keep();
    await writeFile(join(folder, 'incoming', 'half'), 'ha');
    attachments = await open();
    expect(await attachments.sweep((digest) => Promise.resolve(digest === named.digest))).toBe(2);
    expect(await files()).toEqual([named.digest]);
    expect(await attachments.sweep((digest) => Promise.resolve(digest === named.digest))).toBe(0);
  });
});
