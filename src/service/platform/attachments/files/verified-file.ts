import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { errorCode } from '../../../../runtime/failure.ts';
import { onDisk } from '../../database/storage-faults.ts';
import { type AttachedContent, DamagedAttachmentError } from '../attachments.ts';
import { verifyChunks, verifyContent } from '../content-check.ts';

/** The size of the chunks in which files are read, in bytes. */
const chunkBytes = 256 * 1024;

/** An open file whose content was verified. Read its stream to the end, destroy the stream, or close the file. */
export interface VerifiedFile {
  /** Streams the content and verifies it again: the last chunk is emitted only if all of the content was correct. */
  stream(): Readable;
  close(): Promise<void>;
}

/**
 * Opens a file and compares its content with its digest, without holding it in memory.
 *
 * @throws DamagedAttachmentError if it is missing or does not match its record.
 */
export async function openVerified(path: string, content: AttachedContent): Promise<VerifiedFile> {
  const file = await openAttachment(path, content);
  try {
    await verifyContent(readChunks(file), content);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    stream: () => {
      const stream = Readable.from(verifyChunks(readChunks(file), content), { objectMode: false });
      // Needed if the stream is not read: a generator that was not started would not close the file.
      return stream.once('close', () => {
        file.close().catch(() => undefined);
      });
    },
    close: () => file.close(),
  };
}

/** @throws DamagedAttachmentError if it is missing */
export async function openAttachment(path: string, content: AttachedContent): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new DamagedAttachmentError('missing', content, { cause: error });
    throw error;
  }
}

/** Reads a file from its beginning to its end, whatever its position is. The caller closes the file. */
export async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await onDisk(() => file.read(buffer, 0, chunkBytes, position));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
