import type { FileHandle } from 'node:fs/promises';
import { Damage } from '../regular-file.ts';
import { decodeName, showName, type ArchiveEntry } from './archive-entry.ts';

/** An entry of the directory of a zip archive. */
export interface ZipEntry extends Pick<ArchiveEntry, 'name' | 'type' | 'size'> {
  readonly nameBytes: Buffer;
  /** 0: stored; 8: deflated. */
  readonly method: number;
  /** In bytes. */
  readonly packedSize: number;
  readonly crc: number;
  /** Where its header begins in the file. */
  readonly offset: number;
}

/** The directory of a zip archive, and where it begins in the file. */
export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  readonly start: number;
}

/** The end record without its comment, which has at most 65,535 bytes. */
const endRecordBytes = 22;
const maximumCommentBytes = 0xffff;

const directoryHeaderBytes = 46;

/** The maximum size of an entry of the directory, in bytes: with the longest name, and room for times and owners. */
const maximumDirectoryEntryBytes = 8 * 1024;

/** Placeholders: the real values are in Zip64 fields. */
const zip64Counts = 0xffff;
const zip64Sizes = 0xffff_ffff;

/**
 * Reads the directory at the end of a zip archive (APPNOTE.TXT 6.3). Sizes, Zip64 and encryption are checked here.
 *
 * @param size of the file, in bytes
 * @throws Damage if it is malformed, or uses what is not supported
 */
export async function readZipDirectory(file: FileHandle, size: number, maximumEntries: number): Promise<ZipDirectory> {
  const length = Math.min(size, endRecordBytes + maximumCommentBytes);
  const { buffer: tail, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const at = findEndRecord(tail.subarray(0, bytesRead));
  const record = tail.subarray(at);
  const [disk, startDisk, countHere, count] = [4, 6, 8, 10].map((field) => record.readUInt16LE(field));
  const [directorySize, start] = [record.readUInt32LE(12), record.readUInt32LE(16)];
  if (count === zip64Counts || directorySize === zip64Sizes || start === zip64Sizes) throw zip64();
  if (disk !== 0 || startDisk !== 0 || countHere !== count) throw new Damage('it has several parts');
  if (count === undefined || count > maximumEntries) throw new Damage(`it has more than ${maximumEntries} entries`);
  // A Zip64 record would stand between the two.
  if (start + directorySize !== size - length + at) throw new Damage('its directory is not where it should be');
  if (directorySize > count * maximumDirectoryEntryBytes) throw new Damage('its directory is too large');
  const directory = await file.read(Buffer.alloc(directorySize), 0, directorySize, start);
  return { entries: parseDirectory(directory.buffer.subarray(0, directory.bytesRead), count), start };
}

/** The last record whose comment ends where the file ends. */
function findEndRecord(tail: Buffer): number {
  for (let at = tail.length - endRecordBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== 0x06054b50) continue;
    if (at + endRecordBytes + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  throw new Damage('it is not a zip archive, or it is cut off');
}

function parseDirectory(directory: Buffer, count: number): readonly ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let number = 0; number < count; number += 1) {
    const header = directory.subarray(at);
    if (header.length < directoryHeaderBytes || header.readUInt32LE(0) !== 0x02014b50) throw malformed();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => header.readUInt16LE(field));
    const nameEnd = directoryHeaderBytes + (nameLength ?? 0);
    const nameBytes = header.subarray(directoryHeaderBytes, nameEnd);
    at += nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
    if (at > directory.length) throw malformed();
    entries.push(parseEntry(header, nameBytes));
  }
  if (at !== directory.length) throw malformed();
  return entries;
}

function malformed(): Damage {
  return new Damage('its directory is malformed');
}

function zip64(): Damage {
  return new Damage('it uses Zip64, which a spool never needs');
}

function parseEntry(header: Buffer, nameBytes: Buffer): ZipEntry {
  const name = decodeName(nameBytes);
  const method = header.readUInt16LE(10);
  const [crc, packedSize, size] = [header.readUInt32LE(16), header.readUInt32LE(20), header.readUInt32LE(24)];
  const offset = header.readUInt32LE(42);
  checkFeatures(header, name);
  if ([packedSize, size, offset].includes(zip64Sizes)) throw zip64();
  if (method === 0 && packedSize !== size) throw new Damage(`${showName(name)} has two sizes`);
  const type = entryType(header, name);
  if (type === 'folder' && size !== 0) throw new Damage(`${showName(name)} is a folder with content`);
  return { name, nameBytes, type, method, packedSize, size, crc, offset };
}

function checkFeatures(header: Buffer, name: string): void {
  const [flags, method, disk] = [header.readUInt16LE(8), header.readUInt16LE(10), header.readUInt16LE(34)];
  // Bits 0 and 6: encrypted; 5: a patch; 13: the directory is encrypted.
  if ((flags & 0b10_0000_0110_0001) !== 0) throw new Damage(`${showName(name)} is encrypted or a patch`);
  if (method !== 0 && method !== 8) throw new Damage(`${showName(name)} has the compression method ${method}`);
  if (disk !== 0) throw new Damage('it has several parts');
}

/** The systems that write the mode of Unix into the external attributes. */
const unixSystems: ReadonlySet<number | undefined> = new Set([3, 19]);

function entryType(header: Buffer, name: string): ArchiveEntry['type'] {
  const type = name.endsWith('/') ? 'folder' : 'file';
  const mode = unixSystems.has(header[5]) ? header.readUInt16LE(40) >>> 12 : 0;
  if (mode === 0xa) throw new Damage(`${showName(name)} is a symbolic link`);
  if (mode !== 0 && mode !== (type === 'folder' ? 0x4 : 0x8)) {
    throw new Damage(`${showName(name)} is neither a file nor a folder`);
  }
  return type;
}
