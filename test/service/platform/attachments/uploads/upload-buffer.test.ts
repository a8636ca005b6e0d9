import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTemporaryFile } from '../../../../../src/service/platform/attachments/uploads/temporary-file.ts';
import {
  memoryBytes,
  streamAndDiscard,
  UploadBuffer,
} from '../../../../../src/service/platform/attachments/uploads/upload-buffer.ts';

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

function split(content: Buffer, size: number): Readable {
  const count = Math.ceil(content.length / size);
  return Readable.from(Array.from({ length: count }, (_, index) => content.subarray(index * size, (index + 1) * size)));
}

describe('a buffered upload', () => {
  let folder: string;
  let uploads: UploadBuffer;
  let opened: number;
  beforeEach(async () => {
    opened = 0;
    folder = await mkdtemp(join(tmpdir(), 'compliance-uploads-'));
    const countedBytes = (size: number): Buffer => {
      opened += 1;
      return randomBytes(size);
    };
    uploads = new UploadBuffer({ folder, randomBytes: countedBytes });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it.each([
    [0, 1, 0],
    [1, 1, 0],
    [9000, 7, 0],
    [memoryBytes, 65_536, 0],
    [memoryBytes, memoryBytes, 0],
    [memoryBytes + 1, 65_536, 1],
    [memoryBytes + 1, memoryBytes + 1, 1],
    [3 * memoryBytes, 100_000, 1],
    [1_000_003, 1_000_003, 1],
  ])('of %d bytes in chunks of %d is what was sent, with %d temporary files', async (size, chunk, files) => {
    const content = randomBytes(size);
    const upload = await uploads.receive(split(content, chunk));
    expect(upload).toMatchObject({ digest: digestOf(content), size });
    expect(opened).toBe(files);
    // Twice, because a request that failed is sent again.
    for (const read of [await buffer(upload.chunks()), await buffer(upload.chunks()), await upload.bytes()]) {
      expect(content.equals(read)).toBe(true);
    }
    expect(await readdir(folder)).toEqual([]);
    await upload.discard();
    await upload.discard();
  });

  it('is discarded when its stream ends, or is not read at all', async () => {
    const content = randomBytes(memoryBytes * 2);
    const upload = await uploads.receive(split(content, 65_536));
    expect((await buffer(streamAndDiscard(upload))).equals(content)).toBe(true);
    await expect(upload.bytes()).rejects.toThrow();
    const unread = await uploads.receive(split(content, 65_536));
    const stream = streamAndDiscard(unread);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.destroy();
    await closed;
    await expect(unread.bytes()).rejects.toThrow();
  });

  it('fails with the error of its sender, and leaves nothing', async () => {
    const sent = Readable.from(
      (async function* () {
        yield randomBytes(memoryBytes * 2);
        await Promise.reject(new Error('the sender is gone'));
      })(),
    );
    await expect(uploads.receive(sent)).rejects.toThrow('the sender is gone');
    expect(sent.destroyed).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it('needs its folder only if it is large', async () => {
    const lost = new UploadBuffer({ folder: join(folder, 'lost'), randomBytes });
    const small = await lost.receive(split(randomBytes(memoryBytes), 65_536));
    await small.discard();
    await expect(lost.receive(split(randomBytes(memoryBytes + 1), 65_536))).rejects.toMatchObject({
      ...{ name: 'StorageError', reason: 'missing' },
    });
    await expect(lost.probe()).rejects.toMatchObject({ reason: 'missing' });
  });

  it('leaves nothing of a probe', async () => {
    await uploads.probe();
    expect(opened).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is in a file that has no name and that only its owner can read', async () => {
    const file = await openTemporaryFile({ folder, randomBytes });
    try {
      expect(await readdir(folder)).toEqual([]);
      const { mode, nlink } = await file.stat();
      if (process.platform !== 'win32') expect([mode & 0o777, nlink]).toEqual([0o600, 0]);
    } finally {
      await file.close();
    }
  });
});
