import { Damage } from '../regular-file.ts';
import { decodeName, showName, type ArchiveEntry } from './archive-entry.ts';

/** The block size of a tar archive, in bytes: everything is padded to a multiple of it. */
const blockBytes = 512;

/** The maximum size of a description of an entry (a long name, or pax records), in bytes. */
const maximumDescriptionBytes = 64 * 1024;

/** The types of entries that are refused, by the type flag of the header. */
const refusedTypes: ReadonlyMap<string, string> = new Map([
  ['1', 'a hard link'],
  ['2', 'a symbolic link'],
  ['3', 'a device'],
  ['4', 'a device'],
  ['6', 'a named pipe'],
  ['K', 'a link'],
  ['S', 'a sparse file'],
]);

/** The description that precedes an entry. */
interface Description {
  readonly name?: string;
  readonly size?: number;
}

/**
 * Reads a tar archive: POSIX.1-1988 ("ustar") and POSIX.1-2001 ("pax"), and the long names of GNU tar.
 *
 * @throws Damage if it is cut off, malformed, or contains anything but files and folders
 */
export async function* readTar(archive: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry, void, undefined> {
  const reader = new BlockReader(archive);
  let described: Description = {};
  for (;;) {
    const header = await reader.exactly(blockBytes);
    if (isEmpty(header)) break;
    const { name: ownName, size: ownSize, type } = parseHeader(header);
    if (type === 'x' || type === 'g' || type === 'L') {
      const description = await readDescription(reader, type, ownSize);
      if (type !== 'g') described = { ...described, ...description };
      continue;
    }
    const { name = ownName, size = ownSize } = described;
    described = {};
    const entryType = toEntryType(type, name, size);
    const content = reader.content(size);
    yield { name, type: entryType, size, content: () => content };
    // Skips what the consumer did not read.
    await drain(content);
    await reader.exactly(paddingAfter(size));
  }
  await checkEnd(reader);
}

function toEntryType(flag: string, name: string, size: number): ArchiveEntry['type'] {
  const refused = refusedTypes.get(flag);
  if (refused !== undefined) throw new Damage(`${showName(name)} is ${refused}`);
  // Before POSIX, a name with a slash at its end was a folder.
  const isFolder = flag === '5' || (flag !== '7' && name.endsWith('/'));
  if (!isFolder && !['0', '\0', '7'].includes(flag))
    throw new Damage(`${showName(name)} is neither a file nor a folder`);
  if (isFolder && size !== 0) throw new Damage(`${showName(name)} is a folder with content`);
  return isFolder ? 'folder' : 'file';
}

function parseHeader(header: Buffer): { readonly name: string; readonly size: number; readonly type: string } {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (parseOctal(header, 148, 8) !== sum) throw new Damage('the header of one of its entries has a wrong checksum');
  const field = (at: number, length: number): string => {
    const bytes = header.subarray(at, at + length);
    const end = bytes.indexOf(0);
    return decodeName(end < 0 ? bytes : bytes.subarray(0, end));
  };
  // GNU tar uses the prefix field for other data.
  const isPosix = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? field(345, 155) : '';
  const name = prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`;
  return { name, size: parseOctal(header, 124, 12), type: header.toString('latin1', 156, 157) };
}

/** Larger numbers than octal digits can hold are not supported: they are sizes of more than 8 GiB. */
function parseOctal(header: Buffer, at: number, length: number): number {
  const text = header.toString('latin1', at, at + length).replaceAll(/^ +|[\0 ]+$/gu, '');
  if (!/^[0-7]{1,12}$/u.test(text)) throw new Damage('the header of one of its entries has a malformed number');
  return Number.parseInt(text, 8);
}

async function readDescription(reader: BlockReader, type: 'x' | 'g' | 'L', size: number): Promise<Description> {
  if (size > maximumDescriptionBytes) throw new Damage(`one of its entries has a description of ${size} bytes`);
  const bytes = await reader.exactly(size);
  await reader.exactly(paddingAfter(size));
  if (type === 'L') return { name: decodeName(bytes).replace(/\0.*$/su, '') };
  const description = toDescription(parsePaxRecords(bytes));
  if (type === 'g' && Object.keys(description).length > 0)
    throw new Damage('it gives all its entries one name or size');
  return description;
}

function toDescription(records: ReadonlyMap<string, string>): Description {
  if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.'))) throw new Damage('it has a sparse file');
  const [name, size] = [records.get('path'), records.get('size')];
  if (size !== undefined && !/^\d{1,15}$/u.test(size)) throw new Damage('one of its entries has a malformed size');
  return { ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { size: Number(size) }) };
}

/** Parses `length key=value\n` records, where the length in bytes counts its own digits. */
function parsePaxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const [digits = ''] = /^[1-9]\d{0,5}(?= )/u.exec(bytes.toString('latin1', at, at + 7)) ?? [];
    const record = bytes.subarray(at + digits.length + 1, at + Number(digits));
    const separator = record.indexOf('=');
    const isWhole = at + Number(digits) <= bytes.length && record.at(-1) === 0x0a;
    if (digits === '' || separator < 1 || !isWhole) throw new Damage('it has a malformed pax record');
    records.set(decodeName(record.subarray(0, separator)), decodeName(record.subarray(separator + 1, -1)));
    at += Number(digits);
  }
  return records;
}

/** An archive ends with two empty blocks; tools add more of them. */
async function checkEnd(reader: BlockReader): Promise<void> {
  if (!isEmpty(await reader.exactly(blockBytes))) throw new Damage('it has only one empty block at its end');
  for await (const chunk of reader.rest()) if (!isEmpty(chunk)) throw new Damage('it goes on after its end');
}

async function drain(content: AsyncIterator<Uint8Array>): Promise<void> {
  let next = await content.next();
  while (next.done !== true) next = await content.next();
}

function isEmpty(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function paddingAfter(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

/** Reads a stream in pieces of given sizes. */
class BlockReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** Received, but not read yet. */
  #received: Uint8Array = new Uint8Array();

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#chunks = archive[Symbol.asyncIterator]();
  }

  /** @param size small, because all of it is in memory */
  async exactly(size: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.content(size)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *content(size: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = size; left > 0;) {
      if (!(await this.#receive())) throw new Damage('it is cut off');
      const piece = this.#received.subarray(0, left);
      this.#received = this.#received.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async *rest(): AsyncGenerator<Uint8Array, void, undefined> {
    while (await this.#receive()) {
      yield this.#received;
      this.#received = new Uint8Array();
    }
  }

  /** Whether there is something to read. */
  async #receive(): Promise<boolean> {
    while (this.#received.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#received = next.value;
    }
    return true;
  }
}
