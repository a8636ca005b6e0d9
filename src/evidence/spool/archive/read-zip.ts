import type { FileHandle } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { Damage } from '../regular-file.ts';
import { showName, type ArchiveEntry } from './archive-entry.ts';
import { decompress } from './decompress.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

/** The size of the header before the content of each entry, without its name. */
const localHeaderBytes = 30;

/** How much is read from the file at once, in bytes. */
const chunkBytes = 64 * 1024;

/**
 * Reads a zip archive. The directory at its end tells the position and size of each entry, as for all tools, so that
 * sizes may follow the content, as they do in GitHub's artifacts.
 *
 * @param size of the file, in bytes
 * @throws Damage if it is cut off, malformed or encrypted, or contains anything but files and folders
 */
export async function* readZip(
  file: FileHandle,
  size: number,
  maximumEntries: number,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  const { entries, start } = await readZipDirectory(file, size, maximumEntries);
  let free = 0;
  for (const entry of entries.toSorted((one, other) => one.offset - other.offset)) {
    const { name, type, size: unpackedSize } = entry;
    // In a zip bomb, many entries share the same content.
    if (entry.offset < free) throw new Damage(`${showName(name)} overlaps with another entry`);
    const contentStart = await checkLocalHeader(file, entry);
    free = contentStart + entry.packedSize;
    if (free > start) throw new Damage(`${showName(name)} does not end before the directory of the archive`);
    yield { name, type, size: unpackedSize, content: () => readContent(file, entry, contentStart) };
  }
}

/** Compares the header before the content with the directory. Returns where the content begins. */
async function checkLocalHeader(file: FileHandle, entry: ZipEntry): Promise<number> {
  const { offset, nameBytes, method } = entry;
  const header = await readAt(file, offset, localHeaderBytes + nameBytes.length);
  const isSame =
    header.readUInt32LE(0) === 0x04034b50 &&
    header.readUInt16LE(8) === method &&
    header.readUInt16LE(26) === nameBytes.length &&
    header.subarray(localHeaderBytes).equals(nameBytes);
  if (!isSame) throw new Damage(`${showName(entry.name)} is another in the directory of the archive`);
  return offset + header.length + header.readUInt16LE(28);
}

async function* readContent(
  file: FileHandle,
  { name, method, packedSize, size, crc }: ZipEntry,
  start: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = readRange(file, start, packedSize);
  let [count, sum] = [0, 0];
  for await (const chunk of method === 0 ? packed : decompress(packed, createInflateRaw())) {
    count += chunk.length;
    if (count > size) break;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (count !== size) throw new Damage(`${showName(name)} does not have the ${size} bytes that it claims`);
  if (sum !== crc) throw new Damage(`${showName(name)} has a wrong checksum`);
}

async function* readRange(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let done = 0; done < size;) {
    const chunk = await readAt(file, start + done, Math.min(chunkBytes, size - done));
    done += chunk.length;
    yield chunk;
  }
}

/** Reads `length` bytes. @throws Damage if the file ends earlier */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Damage('it is cut off');
  return buffer;
}
