import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** An entry of a forged archive. What is not given is right. */
export interface ForgedEntry {
  readonly name: string;
  readonly content?: Uint8Array | string;
  /** The size that the archive claims, in bytes. */
  readonly size?: number;
}

/** An entry of a forged tar archive. */
export interface ForgedTarEntry extends ForgedEntry {
  /** The type flag: a file by default. */
  readonly type?: string;
  /** For a link. */
  readonly target?: string;
  readonly wrongChecksum?: boolean;
}

const block = 512;

function padded(content: Uint8Array): Buffer {
  return Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)]);
}

/** A tar archive (POSIX.1-1988), without the blocks at its end. */
export function tarEntries(entries: readonly ForgedTarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, content = '', size, type = '0', target = '', wrongChecksum = false }) => {
    const bytes = Buffer.from(content);
    const header = Buffer.alloc(block);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124);
    header.write('14200000000\0', 136);
    header.write('        ', 148);
    header.write(type, 156, 'latin1');
    header.write(target, 157, 100);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, wrongChecksum ? 1 : 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, padded(bytes)];
  });
  return Buffer.concat(blocks);
}

/** A tar archive. */
export function forgeTar(entries: readonly ForgedTarEntry[]): Buffer {
  return Buffer.concat([tarEntries(entries), Buffer.alloc(2 * block)]);
}

/** A tar archive compressed with gzip. */
export function forgeTarGz(entries: readonly ForgedTarEntry[]): Buffer {
  return gzipSync(forgeTar(entries));
}

/** A record of pax, with its length. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = [1, 2, 3, 4, 5].find((digits) => String(digits + Buffer.byteLength(rest)).length === digits) ?? 0;
  return `${length + Buffer.byteLength(rest)}${rest}`;
}

/** An entry of a forged zip archive. */
export interface ForgedZipEntry extends ForgedEntry {
  readonly stored?: boolean;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  /** The mode of Unix, with the type of the file. */
  readonly mode?: number;
  /** The name in the header before the content. */
  readonly localName?: string;
  /** Where the directory says that the header is. */
  readonly offset?: number;
  /** Whether checksum and sizes are behind the content, as in the archives that GitHub's artifacts are. */
  readonly described?: boolean;
}

/** Changes of the end record of a forged zip archive. */
export interface ForgedZipEnd {
  readonly count?: number;
  readonly directorySize?: number;
  readonly directoryOffset?: number;
  readonly disk?: number;
  readonly comment?: string;
}

/** A zip archive. */
export function forgeZip(entries: readonly ForgedZipEntry[], end: ForgedZipEnd = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { body, header } = zipEntry(entry, offset);
    bodies.push(body);
    directory.push(header);
    offset += body.length;
  }
  const headers = Buffer.concat(directory);
  const comment = Buffer.from(end.comment ?? '');
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(end.disk ?? 0, 4);
  record.writeUInt16LE(end.count ?? entries.length, 8);
  record.writeUInt16LE(end.count ?? entries.length, 10);
  record.writeUInt32LE(end.directorySize ?? headers.length, 12);
  record.writeUInt32LE(end.directoryOffset ?? offset, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...bodies, headers, record, comment]);
}

/** What a zip archive says about an entry, with what was not given. */
function zipFacts(entry: ForgedZipEntry): { readonly packed: Buffer; readonly fields: Buffer } {
  const { stored = false, described = false, flags = 0x800 } = entry;
  const content = Buffer.from(entry.content ?? '');
  const packed = stored ? content : deflateRawSync(content);
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(described ? flags | 8 : flags, 2);
  fields.writeUInt16LE(entry.method ?? (stored ? 0 : 8), 4);
  fields.writeUInt32LE(entry.crc ?? crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(entry.size ?? content.length, 18);
  return { packed, fields };
}

/** The header and content of an entry, and its entry in the directory. */
function zipEntry(entry: ForgedZipEntry, offset: number): { readonly body: Buffer; readonly header: Buffer } {
  const { packed, fields } = zipFacts(entry);
  const sizes = fields.subarray(10);
  const name = Buffer.from(entry.name);
  const localName = Buffer.from(entry.localName ?? entry.name);
  const isDescribed = entry.described === true;

  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  fields.copy(local, 4, 0, isDescribed ? 10 : 22);
  local.writeUInt16LE(localName.length, 26);

  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE((3 << 8) | 20, 4);
  fields.copy(header, 6);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(entry.mode ?? (entry.name.endsWith('/') ? 0o040755 : 0o100644), 40);
  header.writeUInt32LE(entry.offset ?? offset, 42);

  const descriptor = isDescribed ? [Buffer.from([0x50, 0x4b, 7, 8]), sizes] : [];
  return { body: Buffer.concat([local, localName, packed, ...descriptor]), header: Buffer.concat([header, name]) };
}
