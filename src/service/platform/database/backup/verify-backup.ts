import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../../runtime/failure.ts';
import { databaseFile } from '../../attachments/files/data-folder.ts';
import { type DatabaseContents, inspectDatabase } from '../sqlite/backup-database.ts';
import { verifyAttachments } from './backup-files.ts';
import { hashFile, type Manifest, readManifest } from './manifest.ts';

export interface VerifiedBackup {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly contents: DatabaseContents;
}

/**
 * Verifies a backup: the digest of its database, SQLite's integrity checks, the number of rows of every table, and the
 * digest of every attachment that a record refers to.
 *
 * @throws Error that lists all problems.
 */
export async function verifyBackup(folder: string): Promise<VerifiedBackup> {
  const manifest = await readManifest(folder);
  const path = join(folder, databaseFile);
  await requireSameDatabase(path, manifest);
  const contents = inspectDatabase(path);
  const leftOut = new Set(manifest.attachments.left_out);
  const present = contents.attachments.filter(({ digest }) => !leftOut.has(digest));
  const damaged = await verifyAttachments(folder, present);
  const problems = [
    ...contents.problems,
    ...differentRows(manifest, contents),
    ...damaged.map(({ digest, fault }) => `attachment ${digest} is ${fault}`),
  ];
  if (problems.length > 0) throw damagedBackup(folder, problems);
  return { folder, manifest, contents };
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

function differentRows({ database }: Manifest, { rows }: DatabaseContents): readonly string[] {
  const tables = [...new Set([...Object.keys(database.rows), ...Object.keys(rows)])].sort();
  return tables
    .filter((table) => database.rows[table] !== rows[table])
    .map((table) => `table ${table} has ${rows[table] ?? 'no'} rows instead of ${database.rows[table] ?? 'none'}`);
}

function damagedBackup(folder: string, problems: readonly string[]): Error {
  const lines = problems.map((problem) => `  ${problem}`);
  return new Error([`the backup ${folder} is damaged; use another backup`, ...lines].join('\n'));
}
