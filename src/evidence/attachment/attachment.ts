import { basename } from 'node:path';
import { maximumFileBytes } from '../../contract/limits.ts';
import { UserError } from '../../runtime/failure.ts';
import { formatBytes } from '../files/format-bytes.ts';
import { readUnchanged } from '../files/read-unchanged.ts';
import type { MatchedFile } from '../files/resolve-files.ts';

/** The file that is sent with an attestation: a single file unchanged, or an archive of several. */
export interface Attachment {
  /** The file name in the request. */
  readonly filename: string;
  /** The exact number of bytes that `open` yields. */
  readonly size: number;
  /** The files that the attachment contains. */
  readonly parts: readonly AttachmentPart[];
  /**
   * Reads the content; every call starts again, so that a request can be repeated. Reads lazily. A chunk is valid only
   * until the next one is requested, because all chunks share one buffer: collecting 10 MB of garbage would cost more
   * than sending the data. Throws a UserError before the last byte if the file has changed since it was found.
   */
  open(): AsyncIterable<Uint8Array>;
  /** Removes temporary files, but never the user's files. */
  readonly dispose: () => void;
}

interface AttachmentPart extends Pick<MatchedFile, 'name' | 'size'> {
  /**
   * Reads a file of an archive like `Attachment.open`. All files share one buffer, so read them one after the other.
   * Absent if the attachment is this file.
   */
  open?(): AsyncIterable<Uint8Array>;
}

export interface AttachmentOptions {
  /** The runner's folder for temporary files, in which an archive is stored until it is sent. Created if missing. */
  readonly temporary: string;
  /** The maximum size in bytes, inclusive; the interface's limit by default. */
  readonly maximumBytes?: number;
  /** Aborts the creation of an archive and removes its temporary files. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a single file that exceeds the limit is packed. Without it, that is an error. */
  readonly packsSingleFile?: boolean;
}

/** The error for files that exceed the limit, even packed. */
export class AttachmentTooLargeError extends UserError {}

/** The maximum compression ratio of Deflate (RFC 1951: at most 258 bytes become two bits). */
const maximumCompressionRatio = 1032;

/** Bytes of the chunks that are read and sent: faster than 64 KiB; larger ones gain nothing (measured). */
const chunkBytes = 256 * 1024;

/** The maximum number of files that an error message lists. */
const maximumListed = 20;

/**
 * Creates the attachment for the given files: undefined for no files, a single file unchanged under its own base name,
 * several files as `evidence.tgz`. Its size is known and checked before anything is sent.
 *
 * @throws AttachmentTooLargeError if the attachment exceeds the limit (lists the sizes, largest first); UserError if a
 * file cannot be read; the signal's reason if it is aborted
 */
export async function prepareAttachment(
  files: readonly MatchedFile[],
  { temporary, maximumBytes = maximumFileBytes, signal, packsSingleFile = false }: AttachmentOptions,
): Promise<Attachment | undefined> {
  const [only, ...others] = files;
  if (only === undefined) return undefined;
  const isAlone = others.length === 0 && (only.size <= maximumBytes || !packsSingleFile);
  return isAlone ? attachFile(only, maximumBytes) : attachArchive(files, temporary, maximumBytes, signal);
}

/**
 * Creates the attachment for a single file: unchanged, under its own base name.
 *
 * @throws AttachmentTooLargeError if it exceeds the limit
 */
export function attachFile(file: MatchedFile, maximumBytes = maximumFileBytes): Attachment {
  if (file.size > maximumBytes) throw createTooLargeError([file], maximumBytes);
  return {
    filename: basename(file.path),
    size: file.size,
    parts: [{ name: file.name, size: file.size }],
    open: () => openContent(file.path, file.size),
    dispose: () => undefined,
  };
}

async function attachArchive(
  files: readonly MatchedFile[],
  temporary: string,
  maximumBytes: number,
  signal: AbortSignal | undefined,
): Promise<Attachment> {
  const tooLargeError = (): AttachmentTooLargeError => createTooLargeError(files, maximumBytes);
  if (totalSize(files) > maximumBytes * maximumCompressionRatio) throw tooLargeError();
  // Only archives need zlib.
  const { createTemporaryArchive } = await import('./archive.ts');
  const { path, size, dispose } = await createTemporaryArchive(
    files,
    temporary,
    { maximumBytes, tooLarge: tooLargeError },
    signal,
  );
  const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Math.max(...files.map((file) => file.size))));
  const parts = files.map((file) => ({
    ...{ name: file.name, size: file.size },
    open: () => readUnchanged(file.path, file.size, () => buffer),
  }));
  return { filename: basename(path), size, parts, open: () => openContent(path, size), dispose };
}

function openContent(path: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size));
  return readUnchanged(path, size, () => buffer);
}

function totalSize(files: readonly MatchedFile[]): number {
  return files.reduce((total, file) => total + file.size, 0);
}

function createTooLargeError(files: readonly MatchedFile[], maximumBytes: number): AttachmentTooLargeError {
  const largestFirst = files.toSorted((one, other) => other.size - one.size);
  const listed = largestFirst.slice(0, maximumListed).map((file) => `  ${file.name}: ${formatBytes(file.size)}`);
  const rest = largestFirst.slice(maximumListed);
  if (rest.length > 0) listed.push(`  and ${rest.length} more: ${formatBytes(totalSize(rest))} together`);
  const what =
    files.length === 1
      ? 'The attachment is larger than'
      : `The ${files.length} files (${formatBytes(totalSize(files))} together) are, even compressed, larger than`;
  return new AttachmentTooLargeError({
    input: 'files',
    what: `${what} the ${formatBytes(maximumBytes)} that the service accepts:\n${listed.join('\n')}`,
    remedy: 'Name fewer or smaller files, or exclude the largest with a line that starts with "!".',
  });
}
