import { basename } from 'node:path';
import { maximumFileBytes } from '../../contract/limits.ts';
import { UserError } from '../../runtime/failure.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { formatBytes } from '../files/format-bytes.ts';
import { readUnchanged } from '../files/read-unchanged.ts';

/** What is sent along with an attestation: one file as it is, or an archive of several. */
export interface Attachment {
  /** The name it is sent under. */
  readonly filename: string;
  /** Exactly as many bytes as `open` gives. */
  readonly size: number;
  /** The files inside, under their names in the evidence, with their sizes in bytes. */
  readonly parts: readonly Pick<MatchedFile, 'name' | 'size'>[];
  /**
   * The bytes, anew with each call, so that a request can be repeated. Nothing is read before it is asked for, and a chunk
   * holds only until the next is: all are read into one buffer, since the garbage of 10 MB costs more than sending them. Fails
   * with a UserError, before the last byte, when the file has changed since it was found.
   */
  open(): AsyncIterable<Uint8Array>;
  /** Removes temporary files. The user's files are not touched. */
  readonly dispose: () => void;
}

/** Where and within which bounds an attachment is made. */
export interface AttachmentOptions {
  /** A directory for an archive until it is sent: the runner's folder for temporary files. Created if missing. */
  readonly temporary: string;
  /** The largest attachment in bytes, exactly that included; by default the interface's limit. */
  readonly maximumBytes?: number;
  /** Ends the making of an archive; what was put aside for it is removed then. */
  readonly signal?: AbortSignal | undefined;
}

/** Deflate makes nothing smaller than this part of it (RFC 1951: at most 258 bytes by two bits). */
const maximumCompressionRatio = 1032;

/** How much of a file is read and sent at once, in bytes: fewer turns than 64 KiB, and more gains nothing (measured). */
const chunkBytes = 256 * 1024;

/** The maximum number of files that an error message lists. */
const maximumListed = 20;

/**
 * Makes the attachment of some files: none of no files; a single file as it is, under its own base name; more than one as
 * `evidence.tgz`. Its size is known, and within the limit, before anything is sent.
 *
 * @throws UserError if it would be over the limit (the sizes are listed, the largest first) or a file cannot be read;
 * the signal's reason if it is aborted.
 */
export async function prepareAttachment(
  files: readonly MatchedFile[],
  { temporary, maximumBytes = maximumFileBytes, signal }: AttachmentOptions,
): Promise<Attachment | undefined> {
  const [only, ...others] = files;
  if (only === undefined) return undefined;
  return others.length === 0 ? attachFile(only, maximumBytes) : attachArchive(files, temporary, maximumBytes, signal);
}

function attachFile(file: MatchedFile, maximumBytes: number): Attachment {
  if (file.size > maximumBytes) throw createTooLargeError([file], maximumBytes);
  return {
    filename: basename(file.path),
    size: file.size,
    parts: [toPart(file)],
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
  const tooLargeError = (): UserError => createTooLargeError(files, maximumBytes);
  if (totalSize(files) > maximumBytes * maximumCompressionRatio) throw tooLargeError();
  // Only archives need zlib.
  const { createTemporaryArchive } = await import('./archive.ts');
  const { path, size, dispose } = await createTemporaryArchive(
    files,
    temporary,
    { maximumBytes, tooLarge: tooLargeError },
    signal,
  );
  return { filename: basename(path), size, parts: files.map(toPart), open: () => openContent(path, size), dispose };
}

function openContent(path: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size));
  return readUnchanged(path, size, () => buffer);
}

function toPart({ name, size }: MatchedFile): Pick<MatchedFile, 'name' | 'size'> {
  return { name, size };
}

function totalSize(files: readonly MatchedFile[]): number {
  return files.reduce((total, file) => total + file.size, 0);
}

function createTooLargeError(files: readonly MatchedFile[], maximumBytes: number): UserError {
  const largestFirst = files.toSorted((one, other) => other.size - one.size);
  const listed = largestFirst.slice(0, maximumListed).map((file) => `  ${file.name}: ${formatBytes(file.size)}`);
  const rest = largestFirst.slice(maximumListed);
  if (rest.length > 0) listed.push(`  and ${rest.length} more: ${formatBytes(totalSize(rest))} together`);
  const what =
    files.length === 1
      ? 'The attachment is larger than'
      : `The ${files.length} files (${formatBytes(totalSize(files))} together) are, even compressed, larger than`;
  return new UserError({
    input: 'files',
    what: `${what} the ${formatBytes(maximumBytes)} that the service accepts:\n${listed.join('\n')}`,
    remedy: 'Name fewer or smaller files, or exclude the largest with a line that starts with "!".',
  });
}
