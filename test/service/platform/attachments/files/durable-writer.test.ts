import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { DurableWriter } from '../../../../../src/service/platform/attachments/files/durable-writer.ts';

const mebibyte = 1024 * 1024;

async function withFile(work: (file: FileHandle, path: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'compliance-writer-'));
  const path = join(directory, 'file');
  const file = await open(path, 'wx');
  try {
    await work(file, path);
  } finally {
    await file.close();
    await rm(directory, { recursive: true });
  }
}

function chunksOf(content: Buffer, length: number): Readable {
  const count = Math.ceil(content.length / length);
  return Readable.from(Array.from({ length: count }, (_, at) => content.subarray(at * length, (at + 1) * length)));
}

describe('a durable writer', () => {
  it.each([0, 1, 65_536, 10 * mebibyte + 17])('writes and hashes all of %d bytes', async (size) => {
    await withFile(async (file, path) => {
      const content = randomBytes(size);
      const hash = createHash('sha256');
      const writer = new DurableWriter(file, hash);
      await pipeline(chunksOf(content, 65_000), writer);
      expect(writer.size).toBe(size);
      expect((await readFile(path)).equals(content)).toBe(true);
      expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'));
    });
  });

  it('syncs the file after its last byte, and a large one also before', async () => {
    await withFile(async (file) => {
      const done: string[] = [];
      const [sync, datasync, write] = [file.sync.bind(file), file.datasync.bind(file), file.writeFile.bind(file)];
      file.sync = () => sync().then(() => void done.push('sync'));
      file.datasync = () => datasync().then(() => void done.push('early'));
      file.writeFile = (content) => write(content).then(() => void done.push('write'));
      await pipeline(chunksOf(Buffer.alloc(5 * mebibyte), 65_536), new DurableWriter(file, createHash('sha256')));
      expect(done.at(-1)).toBe('sync');
      expect(done.filter((what) => what === 'early')).toHaveLength(1);
    });
  });

  it('fails if an early sync fails, even if the last one succeeds', async () => {
    await withFile(async (file) => {
      const failure = Object.assign(new Error('input/output error'), { code: 'EIO' });
      file.datasync = () => Promise.reject(failure);
      const written = pipeline(
        chunksOf(Buffer.alloc(5 * mebibyte), 65_536),
        new DurableWriter(file, createHash('sha256')),
      );
      await expect(written).rejects.toBe(failure);
    });
  });
});
