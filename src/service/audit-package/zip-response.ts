import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { makeZip } from 'client-zip';

/** A file of a ZIP. A stream must fail if its content does not have the digest (SHA-256 in hex). */
export type ZippedFile = { readonly name: string } & (
  { readonly text: string } | { readonly stream: Readable; readonly digest: string }
);

/** The name of the last file, with the SHA-256 of all others as `sha256sum --check` takes them. */
const manifestName = 'MANIFEST';

/**
 * A ZIP of files, each of which is made when the one before has been read. If a file fails or the ZIP is destroyed, no
 * more are made, and the ZIP stays incomplete, so that it cannot be opened.
 */
export function zipFiles(files: AsyncIterable<ZippedFile>, lastModified: Date): Readable {
  return Readable.fromWeb(makeZip(withManifest(files, lastModified)));
}

async function* withManifest(
  files: AsyncIterable<ZippedFile>,
  lastModified: Date,
): AsyncGenerator<{ readonly name: string; readonly lastModified: Date; readonly input: string | Readable }> {
  const manifest: string[] = [];
  for await (const file of files) {
    const { name } = file;
    const digest = 'text' in file ? createHash('sha256').update(file.text).digest('hex') : file.digest;
    manifest.push(`${digest}  ${name}\n`);
    try {
      yield { name, lastModified, input: 'text' in file ? file.text : file.stream };
    } finally {
      if ('stream' in file) file.stream.destroy();
    }
  }
  yield { name: manifestName, lastModified, input: manifest.join('') };
}
