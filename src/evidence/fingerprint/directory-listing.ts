import { readdirSync, type Dirent } from 'node:fs';

/** A path or a name: text where it can be, else the bytes that the file system holds. */
export type Spelling = string | Buffer;

/** An entry of a directory. */
export type Entry = Dirent | Dirent<Buffer>;

/**
 * The entries of a directory in the order of their names' bytes, which is the order that Go's `filepath.Walk` takes. Throws
 * the system's errors.
 *
 * Text is a tenth faster than bytes over a large directory, and sorts alike as long as no name holds a character beyond
 * U+FFFF (sorted by surrogates) or is not UTF-8 (U+FFFD stands in its place). With such a name, all come as bytes.
 */
export function listInByteOrder(directory: Spelling): readonly Entry[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.some((entry) => /[\uD800-\uDFFF\uFFFD]/.test(entry.name))
    ? readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }).sort((one, other) =>
        Buffer.compare(one.name, other.name),
      )
    : entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The path of a name in a directory, with a forward slash, which every system takes. */
export function joinPath(directory: Spelling, name: Spelling): Spelling {
  if (typeof directory === 'string' && typeof name === 'string') return `${directory}/${name}`;
  return Buffer.concat([bytes(directory), bytes('/'), bytes(name)]);
}

function bytes(spelling: Spelling): Buffer {
  return typeof spelling === 'string' ? Buffer.from(spelling) : spelling;
}
