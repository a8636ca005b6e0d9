import { type Dirent, readdirSync } from 'node:fs';

/** A path or a name: a string if possible, otherwise the bytes in the file system. */
export type Spelling = string | Buffer;

export type Entry = Dirent | Dirent<Buffer>;

/**
 * Lists the entries of a directory in the byte order of their names, the order of Go's `filepath.Walk`.
 *
 * Strings are 10% faster than bytes for a large directory, and sort in the same order unless a name contains a
 * character beyond U+FFFF (sorted by surrogates) or is not UTF-8 (replaced by U+FFFD). If there is such a name, all
 * names are bytes.
 *
 * @throws the system's error if the directory cannot be read
 */
export function listInByteOrder(directory: Spelling): readonly Entry[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.some((entry) => /[\uD800-\uDFFF\uFFFD]/.test(entry.name))
    ? readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }).sort((one, other) =>
        Buffer.compare(one.name, other.name),
      )
    : entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The path of a name in a directory, with a forward slash, which every system accepts. */
export function joinPath(directory: Spelling, name: Spelling): Spelling {
  if (typeof directory === 'string' && typeof name === 'string') return `${directory}/${name}`;
  return Buffer.concat([bytes(directory), bytes('/'), bytes(name)]);
}

function bytes(spelling: Spelling): Buffer {
  return typeof spelling === 'string' ? Buffer.from(spelling) : spelling;
}
