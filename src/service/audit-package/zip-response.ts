import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { LongStream } from '../platform/server/streamed-response.ts';

/** A file of a ZIP. The digest of a stream is known before, and it fails if its content has another one. */
export type ZippedFile = { readonly name: string } & (
  { readonly text: string } | { readonly stream: Readable; readonly digest: string; readonly isCompressed: boolean }
);

/** The name of the last file, with the SHA-256 of all others as `sha256sum --check` takes them. */
export const manifestName = 'MANIFEST';

/**
 * A ZIP with any number of files. The library looks through all entries for each file, and keeps their names in buffers
 * that they share with whatever else was made at that time: with 100,000 files, minutes and gigabytes.
 */
class LongZip extends ZipFile {
  declare entries: { utf8FileName: Uint8Array }[];
  #sent: { utf8FileName: Uint8Array }[] = [];

  /** Sets the entries aside that were sent, which are all but the last when its content has been read. */
  setAside(): void {
    for (const entry of this.entries.splice(0, this.entries.length - 1)) {
      entry.utf8FileName = Buffer.from(Uint8Array.from(entry.utf8FileName).buffer);
      this.#sent.push(entry);
    }
  }

  override end(): void {
    this.entries = [...this.#sent, ...this.entries];
    super.end();
  }
}

/**
 * Writes a ZIP of files, each of which is made when the one before has been sent. If one fails, or the client leaves,
 * no more are made, and the ZIP has no end, without which it cannot be opened.
 *
 * @param failed is called if a file fails
 */
export function writeZip(
  output: LongStream,
  files: AsyncIterable<ZippedFile>,
  { mtime, failed }: { readonly mtime: Date; readonly failed: (error: unknown) => void },
): void {
  const zip = new LongZip();
  const fail = (error: unknown): void => {
    if (!output.destroyed) failed(error);
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  void pipeline(zip.outputStream, output).catch(fail);
  void addFiles(zip, files, { mtime, output }).catch(fail);
}

async function addFiles(
  zip: LongZip,
  files: AsyncIterable<ZippedFile>,
  { mtime, output }: { readonly mtime: Date; readonly output: LongStream },
): Promise<void> {
  // The ZIP keeps the function of each file until its end, so it must not refer to the content.
  let current = Readable.from([]);
  const open: Parameters<ZipFile['addReadStreamLazy']>[2] = (opened) => {
    opened(null, current);
  };
  const add = async (name: string, content: Readable, compress: boolean): Promise<void> => {
    current = content;
    const stop = (): unknown => content.destroy();
    if (output.destroyed) stop();
    output.once('close', stop);
    zip.addReadStreamLazy(name, { mtime, compress }, open);
    await finished(content);
    zip.setAside();
    output.off('close', stop);
  };
  const manifest: string[] = [];
  for await (const file of files) {
    const { name } = file;
    const isText = 'text' in file;
    const digest = isText ? createHash('sha256').update(file.text).digest('hex') : file.digest;
    manifest.push(`${digest}  ${name}\n`);
    await (isText
      ? add(name, Readable.from([Buffer.from(file.text)]), true)
      : add(name, file.stream, !file.isCompressed));
  }
  await add(manifestName, Readable.from([Buffer.from(manifest.join(''))]), true);
  zip.end();
}
