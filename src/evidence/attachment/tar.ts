// Written by hand instead of a package, to stay within the memory limit for archives (docs/contributing/performance.md).

/** The block size of a tar archive, in bytes: everything is padded to a multiple of it. */
const blockBytes = 512;

/** The largest size that fits the eleven octal digits of a header, in bytes. */
const maximumSizeInHeader = 8 ** 11 - 1;

/** 1980-01-01T00:00:00Z in Unix seconds, the time of every entry: the earliest time that every tool accepts. */
const modificationTime = 315_532_800;

/**
 * The parts that all headers have in common, and the sum of their bytes with blanks in the checksum field. Summing all
 * 512 bytes of thousands of headers would make V8 optimize that loop, which takes megabytes of memory.
 */
const headerTemplate = createHeaderTemplate();

/** The end of an archive: two empty blocks. */
export const tarEnd: Uint8Array = new Uint8Array(2 * blockBytes);

/**
 * The header of a file in a tar archive (POSIX.1-2001, "ustar" with "pax" records). The same name and size always give
 * the same bytes: no owner, mode 0644, a fixed time. A name that is long or not ASCII, and a size of 8 GiB or more, are
 * in a pax record before the header, which every tar of the last twenty years reads.
 */
export function tarHeader(name: string, size: number): Buffer {
  const field = fieldName(name);
  const header = ustar(field, Math.min(size, maximumSizeInHeader), '0');
  const records = [
    ...(field === name ? [] : [paxRecord('path', name)]),
    ...(size > maximumSizeInHeader ? [paxRecord('size', String(size))] : []),
  ];
  if (records.length === 0) return header;
  const extension = Buffer.from(records.join(''));
  return Buffer.concat([ustar('PaxHeader', extension.length, 'x'), extension, tarPadding(extension.length), header]);
}

/** The padding after content of the given size in bytes, up to the next block. */
export function tarPadding(size: number): Uint8Array {
  return tarEnd.subarray(0, (blockBytes - (size % blockBytes)) % blockBytes);
}

/** The part of the name that fits the header's field, for tools that do not support pax records. */
function fieldName(name: string): string {
  return name.replaceAll(/[^ -~]/gu, '_').slice(0, 100);
}

/** `length key=value\n`, where the length in bytes counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const guess = bytes + String(bytes).length;
  const length = bytes + String(guess).length;
  return `${length}${rest}`;
}

function ustar(name: string, size: number, type: '0' | 'x'): Buffer {
  const block = Buffer.from(headerTemplate.header);
  let sum = headerTemplate.sum;
  const put = (text: string, at: number): void => {
    sum += sumBytes(block, at, at + block.write(text, at, 'latin1'));
  };
  put(name, 0);
  put(octal(size, 12), 124);
  put(type, 156);
  block.write(`${octal(sum, 7)} `, 148, 'latin1');
  return block;
}

/** The sum of the bytes from one position up to, but not including, another. */
function sumBytes(block: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += block[at] ?? 0;
  return sum;
}

/** Formats a number for a field of the given width in bytes: octal digits, then NUL. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function createHeaderTemplate(): { readonly header: Buffer; readonly sum: number } {
  const block = Buffer.alloc(blockBytes);
  const put = (text: string, at: number): void => {
    block.write(text, at, 'latin1');
  };
  put(octal(0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(modificationTime, 12), 136);
  put(' '.repeat(8), 148);
  put('ustar\x0000', 257);
  put(octal(0, 8), 329);
  put(octal(0, 8), 337);
  return { header: block, sum: sumBytes(block, 0, blockBytes) };
}
