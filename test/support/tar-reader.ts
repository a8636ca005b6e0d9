/** An entry of a tar archive, as its header and records describe it. */
export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
  /** The fields of the header, without trailing NULs. */
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
  readonly modified: number;
  readonly type: string;
}

const block = 512;

/** Reads a POSIX tar archive of files with pax records. Written independently of the code that it checks. */
export function readTar(archive: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  let records = new Map<string, string>();
  let at = 0;
  while (archive[at] !== 0) {
    const header = archive.subarray(at, at + block);
    const field = (start: number, length: number): string =>
      // Not trimmed, because a file name may consist of spaces.
      header.toString('latin1', start, start + length).replace(/\0.*$/s, '');
    checkSum(header, field(148, 8));
    const size = Number(records.get('size') ?? Number.parseInt(field(124, 12), 8));
    const content = archive.subarray(at + block, at + block + size);
    if (content.length !== size) throw new Error(`entry ${field(0, 100)} is cut off`);
    at += block + Math.ceil(size / block) * block;
    if (field(156, 1) === 'x') {
      records = readRecords(content);
      continue;
    }
    entries.push({
      name: records.get('path') ?? field(0, 100),
      content,
      mode: field(100, 8),
      owner: field(108, 8),
      group: field(116, 8),
      modified: Number.parseInt(field(136, 12), 8),
      type: field(156, 1),
    });
    records = new Map();
  }
  if (!archive.subarray(at).equals(Buffer.alloc(2 * block)))
    throw new Error('the archive does not end in two empty blocks');
  return entries;
}

function checkSum(header: Buffer, written: string): void {
  const sum = [...header].reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== Number.parseInt(written, 8)) throw new Error(`checksum ${written} is not ${sum.toString(8)}`);
}

function readRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length;) {
    const length = Number.parseInt(content.toString('latin1', at, at + 10), 10);
    const record = content.toString('utf8', at, at + length);
    const [, key = '', value = ''] = /^\d+ ([^=]+)=(.*)\n$/s.exec(record) ?? [];
    if (key === '') throw new Error(`not a record: ${record}`);
    records.set(key, value);
    at += length;
  }
  return records;
}
