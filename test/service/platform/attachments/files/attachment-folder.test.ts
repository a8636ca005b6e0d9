import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AttachedContent } from '../../../../../src/service/platform/attachments/attachments.ts';
import { AttachmentFolder } from '../../../../../src/service/platform/attachments/files/attachment-folder.ts';
import { attachmentPath } from '../../../../../src/service/platform/attachments/files/attachment-layout.ts';
import { itWithPosixFiles } from '../../../../support/platform.ts';
import { describeAttachments, keep } from '../../database/attachments-acceptance.ts';

const open = (folder: string): Promise<AttachmentFolder> => AttachmentFolder.open(folder, (size) => randomBytes(size));

describeAttachments('attachments in a folder', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'compliance-attachments-'));
  const folder = join(parent, 'attachments');
  return {
    attachments: await open(folder),
    list: () => listFiles(folder),
    replace: async (digest, content) => {
      const path = attachmentPath(folder, digest);
      if (content === undefined) await rm(path);
      else await writeFile(path, content);
    },
    close: () => rm(parent, { recursive: true }),
  };
});

describe('the folder of attachments', () => {
  let folder: string;
  let attachments: AttachmentFolder;
  const receive = (...chunks: Buffer[]): ReturnType<AttachmentFolder['receive']> =>
    attachments.receive(Readable.from(chunks));
  const content = async (record: AttachedContent): Promise<Buffer> => buffer(await attachments.read(record));
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'compliance-attachments-')), 'attachments');
    attachments = await open(folder);
  });
  afterEach(async () => {
    await rm(join(folder, '..'), { recursive: true });
  });

  it('marks stored content as an upload in progress until it is released', async () => {
    const received = await receive(Buffer.from('a'));
    await received.keep();
    const [upload] = await readdir(join(folder, 'incoming'));
    const [{ ino: marked }, { ino: stored }] = [
      await stat(join(folder, 'incoming', String(upload))),
      await stat(attachmentPath(folder, received.digest)),
    ];
    expect(marked).toBe(stored);
    await received.discard();
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('does not accept content that is not on the disk', async () => {
    const sync = jest.spyOn(fs, 'fsync').mockImplementation((_file, done) => {
      done(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    });
    await expect(receive(Buffer.from('new'))).rejects.toMatchObject({ name: 'StorageError', reason: 'failing' });
    expect(sync).toHaveBeenCalledTimes(1);
    sync.mockRestore();
    expect(await listFiles(folder)).toEqual([]);
  });

  it('leaves nothing of a stream that fails while its file is opened', async () => {
    const openFile = promisify(fs.open);
    const asked = Promise.withResolvers<undefined>();
    const allowed = Promise.withResolvers<undefined>();
    const opened = Promise.withResolvers<undefined>();
    const opens = jest.spyOn(fs, 'open').mockImplementation((async (
      path: string,
      flags: string,
      mode: number,
      done: (error: null, file: number) => void,
    ) => {
      asked.resolve(undefined);
      await allowed.promise;
      done(null, await openFile(path, flags, mode));
      opened.resolve(undefined);
    }) as never);
    const content = new Readable({ read: () => undefined });
    const received = attachments.receive(content).catch((error: unknown) => error);
    await asked.promise;
    opens.mockRestore();
    content.destroy(new Error('the sender is gone'));
    await stat(folder);
    await stat(folder);
    allowed.resolve(undefined);
    await opened.promise;
    expect(await received).toEqual(new Error('the sender is gone'));
    expect(await listFiles(folder)).toEqual([]);
  });

  it('is distinguished from missing storage', async () => {
    const record = await keep(attachments, Buffer.from('kept'));
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
    expect(await listFiles(folder)).toEqual([]);
    await rename(join(folder, 'incoming'), join(folder, 'elsewhere'));
    await expect(attachments.probe()).rejects.toMatchObject({ reason: 'missing' });
    await expect(receive(Buffer.from('new'))).rejects.toMatchObject({ reason: 'missing' });
  });

  itWithPosixFiles('is for its owner alone, with all that is in it', async () => {
    const received = await receive(Buffer.from('on its way'));
    await keep(attachments, Buffer.from('kept'));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect([entry.name, (mode & 0o777).toString(8)]).toEqual([entry.name, entry.isDirectory() ? '700' : '600']);
    }
    await received.discard();
  });
});

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}
