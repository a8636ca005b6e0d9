import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFile, makePrivateFile, runningFile } from '../../attachments/files/data-folder.ts';
import { syncFolder } from '../../attachments/files/durable-files.ts';
import { atStart, StartError } from '../start-error.ts';

/**
 * Whether the latest records may be lost: the last service was not stopped, but killed, and its write-ahead log is gone.
 * Call it before the database is opened, which creates a log.
 */
export function hasLostLog(folder: string): boolean {
  const path = join(folder, databaseFile);
  return existsSync(join(folder, runningFile)) && existsSync(path) && !existsSync(`${path}-wal`);
}

/** @throws StartError if the latest records may be lost */
export function requireLog(folder: string): void {
  if (!hasLostLog(folder)) return;
  const path = join(folder, databaseFile);
  throw new StartError(
    `the latest records in ${path} may be lost: the service was not stopped cleanly, and ${path}-wal is missing; ` +
      'put that file back, or restore a backup; to start without those records, use --accept-loss once',
  );
}

/** Notes that a service runs. Call it when the database is open: a crash before would look like a lost log. */
export async function markRunning(folder: string): Promise<void> {
  const path = join(folder, runningFile);
  await atStart(path, async () => {
    makePrivateFile(path);
    await syncFolder(folder);
  });
}

/** Notes a clean stop. Call it before the database is closed, which removes the log. */
export async function markStopped(folder: string): Promise<void> {
  await rm(join(folder, runningFile), { force: true });
  await syncFolder(folder);
}
