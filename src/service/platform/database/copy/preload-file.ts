import { open } from 'node:fs/promises';
import { readAt } from '../../attachments/files/verified-file.ts';

const chunkBytes = 1024 * 1024;

/**
 * Reads a file once from its beginning to its end, so that the operating system has it in memory. Reading an SQLite
 * database in the order of its indexes is many times slower if each page comes from the disk on its own.
 *
 * @param onRead called with the number of bytes that have been read
 */
export async function preloadFile(path: string, onRead: (bytes: number) => void): Promise<void> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let position = 0; ;) {
      const { length } = await readAt(file, buffer, position);
      if (length === 0) return;
      position += length;
      onRead(position);
    }
  } finally {
    await file.close();
  }
}
