import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../../runtime/failure.ts';
import type { AttachedContent } from '../../attachments/attachments.ts';
import { databaseFile } from '../../attachments/files/data-folder.ts';
import { listAttachedContent } from '../sqlite/backup-database.ts';
import { openReadOnly } from '../sqlite/database.ts';
import { readVersion } from '../sqlite/migrations.ts';
import { verifyAttachments } from './backup-files.ts';
import { hashFile, type Manifest, readManifest } from './manifest.ts';

export interface VerifiedBackup {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Those that were not left out. */
  readonly attachments: readonly AttachedContent[];
}

/**
 * Verifies a backup: the digest of its database, which was checked when it was made, and the digest of every attachment
 * that a record refers to.
 *
 * @throws Error that lists all damaged attachments.
 */
export async function verifyBackup(folder: string): Promise<VerifiedBackup> {
  const manifest = await readManifest(folder);
  const path = join(folder, databaseFile);
  await requireSameDatabase(path, manifest);
  using database = openReadOnly(path);
  readVersion(database, path);
  const leftOut = new Set(manifest.attachments.left_out);
  const attachments = listAttachedContent(database).filter(({ digest }) => !leftOut.has(digest));
  const damaged = await verifyAttachments(folder, attachments);
  if (damaged.length === 0) return { folder, manifest, attachments };
  const lines = damaged.map(({ digest, fault }) => `  attachment ${digest} is ${fault}`);
  throw new Error([`the backup ${folder} is damaged; use another backup`, ...lines].join('\n'));
}

async function requireSameDatabase(path: string, { database }: Manifest): Promise<void> {
  let bytes: number;
  let sha256: string;
  try {
    bytes = (await stat(path)).size;
    sha256 = await hashFile(path);
  } catch (error) {
    throw new Error(`${path} cannot be read (${errorMessage(error)}); use another backup`, { cause: error });
  }
  if (bytes === database.bytes && sha256 === database.sha256) return;
  throw new Error(
    `${path} is not the file that was backed up: it has ${bytes} bytes and the SHA-256 ${sha256} instead of ` +
      `${database.bytes} bytes and ${database.sha256}; use another backup`,
  );
}
