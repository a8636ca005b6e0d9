import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Now } from '../../../../runtime/clock.ts';
import type { DamagedAttachment } from '../../attachments/collect-damaged.ts';
import { databaseFile, makePrivateFile } from '../../attachments/files/data-folder.ts';
import { makeFolder, syncFolder } from '../../attachments/files/durable-files.ts';
import { copyDatabase, inspectDatabase } from '../sqlite/backup-database.ts';
import { requireLog } from '../sqlite/unclean-stop.ts';
import { copyAttachments, listEntries, syncFile } from './backup-files.ts';
import { hashFile, type Manifest, writeManifest } from './manifest.ts';

export interface BackupRequest {
  readonly dataFolder: string;
  /** An empty or missing folder. */
  readonly target: string;
  /** Whether to leave out damaged attachments instead of failing. */
  readonly leaveOutDamaged: boolean;
  readonly now: Now;
}

/**
 * Creates a backup of a data folder, also while a service writes to it. A consistent copy of the database is made
 * first. All files that it refers to exist at that time; if an admin removes one in the
 * meantime, the backup fails.
 *
 * @throws Error if there is no database, the target is not empty, or data is damaged.
 * @throws StartError if the latest records may be lost.
 */
export async function createBackup(request: BackupRequest): Promise<Manifest> {
  const { dataFolder, target, leaveOutDamaged, now } = request;
  const source = join(dataFolder, databaseFile);
  if (!(await listEntries(dataFolder)).includes(databaseFile)) {
    throw new Error(`${source} does not exist; name the data folder of the service with --data`);
  }
  requireLog(dataFolder);
  if ((await listEntries(target)).length > 0) {
    throw new Error(`the folder ${target} is not empty; name one that is empty or does not exist yet`);
  }
  await makeFolder(target);
  const database = join(target, databaseFile);
  makePrivateFile(database);
  const madeAt = new Date(now()).toISOString();
  copyDatabase(source, database);
  await syncFile(database);
  const { version, rows, attachments, problems } = inspectDatabase(database);
  if (problems.length > 0) {
    throw new Error(`${source} is damaged (${problems.join('; ')}); restore an earlier backup`);
  }
  const damaged = await copyAttachments(dataFolder, target, attachments);
  if (damaged.length > 0 && !leaveOutDamaged) throw damagedError(dataFolder, target, damaged);
  const leftOut = new Set(damaged.map(({ digest }) => digest));
  const copied = attachments.filter(({ digest }) => !leftOut.has(digest));
  const manifest: Manifest = {
    format: 1,
    made_at: madeAt,
    schema_version: version,
    database: { bytes: (await stat(database)).size, sha256: await hashFile(database), rows },
    attachments: {
      files: copied.length,
      bytes: copied.reduce((sum, { size }) => sum + size, 0),
      left_out: [...leftOut].sort(),
    },
  };
  await syncFolder(target);
  await writeManifest(target, manifest);
  return manifest;
}

function damagedError(dataFolder: string, target: string, damaged: readonly DamagedAttachment[]): Error {
  const lines = damaged.map(({ digest, fault }) => `  ${digest} is ${fault}`);
  return new Error(
    [
      `${dataFolder} holds damaged attachments (${damaged.length}), so ${target} is not a complete backup; ` +
        'put them back from an earlier backup, or back up without them with --leave-out-damaged',
      ...lines,
    ].join('\n'),
  );
}
