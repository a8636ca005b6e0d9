import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { conforms } from '../../../../contract/check.ts';
import { type Static, Type } from '../../../../contract/schema.ts';
import { errorCode } from '../../../../runtime/failure.ts';
import { privateFileMode, syncFolder } from '../../attachments/files/durable-files.ts';

const manifestFile = 'manifest.json';
const digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const count = Type.Integer({ minimum: 0 });

/** The manifest of a backup. It is written last: a folder without it is not a complete backup. */
export const manifestSchema = Type.Object({
  format: Type.Literal(1),
  /** ISO 8601, UTC. */
  made_at: Type.String(),
  schema_version: Type.Integer({ minimum: 1 }),
  database: Type.Object({
    bytes: count,
    sha256: digest,
    rows: Type.Record(Type.String(), count),
  }),
  attachments: Type.Object({
    files: count,
    bytes: count,
    /** Attachments that were damaged already, and are left out because the operator accepted it. */
    left_out: Type.Array(digest),
  }),
});

export type Manifest = Static<typeof manifestSchema>;

/** Writes the manifest, which completes a backup. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestFile);
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  await writeFile(`${path}.partial`, text, { mode: privateFileMode, flush: true });
  await rename(`${path}.partial`, path);
  await syncFolder(folder);
}

/** @throws Error if the folder is not a complete backup in a known format. */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = parseManifest(folder, await readText(folder));
  if (conforms(manifestSchema, manifest)) return manifest;
  const format: unknown =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'format') : undefined;
  const isNewer = typeof format === 'number' && format > 1;
  throw new Error(
    isNewer
      ? `the backup ${folder} has format ${format}, which this service does not support; use a newer version of the service`
      : `the ${manifestFile} of ${folder} is damaged; use another backup`,
  );
}

async function readText(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, manifestFile), 'utf8');
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
    throw new Error(
      `${folder} is not a complete backup, because it has no ${manifestFile}; use another backup, or make a new one`,
      { cause: error },
    );
  }
}

function parseManifest(folder: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the ${manifestFile} of ${folder} is damaged; use another backup`, { cause: error });
  }
}

/** Returns the SHA-256 of a file in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
