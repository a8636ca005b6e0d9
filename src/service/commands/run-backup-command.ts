import type { Now } from '../../runtime/clock.ts';
import { BackupError } from '../platform/database/backup/backup-error.ts';
import { createBackup } from '../platform/database/backup/create-backup.ts';
import type { Manifest } from '../platform/database/backup/manifest.ts';
import { requireRestorable, restoreBackup } from '../platform/database/backup/restore-backup.ts';
import { verifyBackup } from '../platform/database/backup/verify-backup.ts';
import { translateError } from '../platform/database/sqlite/database.ts';
import { StorageError } from '../platform/database/storage-error.ts';
import type { BackupCommand } from './parse-backup-command.ts';

export interface CommandDependencies {
  readonly now: Now;
  /** Receives the results, one line at a time. */
  readonly writeLine: (line: string) => void;
}

/** @throws BackupError or StartError if it fails; the message says what to do. */
export async function runBackupCommand(command: BackupCommand, dependencies: CommandDependencies): Promise<void> {
  switch (command.name) {
    case 'help':
      dependencies.writeLine(command.usage);
      return;
    case 'backup':
      return backup(command, dependencies);
    case 'verify': {
      const { manifest } = await verifyBackup(command.folder);
      dependencies.writeLine(`the backup ${command.folder} is complete: ${describe(manifest)}`);
      return;
    }
    case 'restore':
      return restore(command, dependencies);
  }
}

async function backup(
  { folder, dataFolder, leaveOutDamaged }: Extract<BackupCommand, { name: 'backup' }>,
  { now, writeLine }: CommandDependencies,
): Promise<void> {
  const manifest = await withRoom(folder, () => createBackup({ dataFolder, target: folder, leaveOutDamaged, now }));
  writeLine(`backed up ${dataFolder} to ${folder}: ${describe(manifest)}`);
}

async function restore(
  { folder, dataFolder, check, isFolderNamed }: Extract<BackupCommand, { name: 'restore' }>,
  { writeLine }: CommandDependencies,
): Promise<void> {
  const verified = await verifyBackup(folder);
  const what = describe(verified.manifest);
  if (!check) {
    await withRoom(dataFolder, () => restoreBackup(verified, dataFolder));
    writeLine(`restored ${folder} to ${dataFolder}: ${what}`);
    return;
  }
  writeLine(`the backup ${folder} is complete: ${what}`);
  if (isFolderNamed) {
    await requireRestorable(verified, dataFolder);
    writeLine(`a restore would write it to ${dataFolder}; nothing was changed`);
  } else {
    writeLine('a restore would write it to an empty folder; set --data to check that folder, too; nothing was changed');
  }
}

function describe(manifest: Manifest): string {
  const { made_at: madeAt, schema_version: version, database, attachments } = manifest;
  const tables = Object.values(database.rows);
  const rows = tables.reduce((sum, count) => sum + count, 0);
  const { left_out: leftOut } = attachments;
  const without =
    leftOut.length === 0 ? '' : `\nwithout damaged attachments (${leftOut.length}): ${leftOut.join(', ')}`;
  return (
    `made at ${madeAt}, ${rows} rows in ${tables.length} tables (version ${version}, ${database.bytes} bytes), ` +
    `${attachments.files} attachments (${attachments.bytes} bytes), every SHA-256 as recorded${without}`
  );
}

/** Names the folder if the disk is full, because the system's own message does not. */
async function withRoom<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const fault = translateError(error);
    if (!(fault instanceof StorageError) || fault.reason !== 'full') throw error;
    const remedy = `free some space, delete ${folder}, and run the command again`;
    throw new BackupError(`the disk of ${folder} is full, so the folder is incomplete; ${remedy}`, {
      cause: error,
    });
  }
}
