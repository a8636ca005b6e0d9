import { Damage } from '../regular-file.ts';

/** A file or folder in an archive. Only the form of the archive has been checked. */
export interface ArchiveEntry {
  /** The name in the archive, unchecked: it may lead anywhere. */
  readonly name: string;
  readonly type: 'file' | 'folder';
  /** In bytes, as the archive says. */
  readonly size: number;
  /** The content, which has `size` bytes. To be read before the next entry is requested, or not at all. */
  content(): AsyncIterable<Uint8Array>;
}

/** The maximum length of one part of a path, in bytes, on all common file systems. */
const maximumPartBytes = 255;

/** How deeply an entry may be nested; spools are far less. */
const maximumParts = 16;

/**
 * The parts of an entry's path below the folder into which it is unpacked; empty for that folder itself.
 *
 * @throws Damage if the path leads elsewhere, or if a file system of some platform could read it as another path
 */
export function entryPath({ name }: Pick<ArchiveEntry, 'name'>): readonly string[] {
  const shown = showName(name);
  if (name.startsWith('/') || /^[a-z]:/iu.test(name)) throw new Damage(`${shown} is an absolute path`);
  const parts = name
    .replace(/^(?:\.\/)+/u, '')
    .replace(/\/$/u, '')
    .split('/');
  if (parts.length === 1 && (parts[0] === '' || parts[0] === '.')) return [];
  if (parts.length > maximumParts) throw new Damage(`${shown} is nested too deeply`);
  const problem = parts.map(partProblem).find((found) => found !== undefined);
  if (problem !== undefined) throw new Damage(`${shown} ${problem}`);
  return parts;
}

function partProblem(part: string): string | undefined {
  if (part === '..') return 'leads out of the archive';
  if (part === '' || part === '.') return 'is not a plain path';
  // Windows reads `:` as a drive or a stream of a file, and drops dots and blanks at the end of a name.
  const isPortable = !/[\p{Cc}<>:"|?*\\]|[. ]$/u.test(part) && Buffer.byteLength(part) <= maximumPartBytes;
  return isPortable ? undefined : 'has a name that a file cannot have on all systems';
}

/** A name for messages: short, on one line, and without characters that a terminal would interpret. */
export function showName(name: string): string {
  const short = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return `its entry ${JSON.stringify(short.replaceAll(/[\u007f-\u009f\u2028\u2029]/gu, '?'))}`;
}

/** Decodes a name. @throws Damage if it is not UTF-8 */
export function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Damage('the name of one of its entries is not UTF-8');
  }
}
