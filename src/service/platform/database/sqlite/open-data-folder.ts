import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceLog } from '../../../../runtime/log.ts';
import { AttachmentFolder } from '../../attachments/files/attachment-folder.ts';
import { type Sweep, sweepAttachments, type SweepRules } from '../../attachments/files/attachment-sweep.ts';
import { attachmentsFolder, prepareDataFolder } from '../../attachments/files/data-folder.ts';
import { settleUnfinished } from '../../attachments/remove-content.ts';
import { atStart, toStartError } from '../start-error.ts';
import type { OpenedStorage, StorageDependencies } from '../storage.ts';
import { isFull } from '../storage-faults.ts';
import { isNewDatabase } from './database.ts';
import { lockFolder } from './folder-lock.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { hasLostLog, markRunning, markStopped, requireLog } from './unclean-stop.ts';

export interface DataFolderOptions {
  /** The folder of the database and all files; created if missing. Only one service can use it at a time. */
  readonly dataFolder: string;
  /**
   * Whether the operator requested that all attachments without a record go to the trash, regardless of their number.
   */
  readonly trashUnnamedAttachments?: boolean | undefined;
  /** Whether the operator accepts that the latest records may be lost. */
  readonly acceptLoss?: boolean | undefined;
}

/**
 * Opens the data folder and locks it for this process. Adds what closes it to `opened`.
 *
 * @throws StartError if the folder cannot be used, or its database and its attachments do not belong together.
 */
export async function openDataFolder(
  { dataFolder, trashUnnamedAttachments: trashAll = false, acceptLoss = false }: DataFolderOptions,
  { now, randomBytes, log }: StorageDependencies,
  opened: AsyncDisposableStack,
): Promise<OpenedStorage> {
  await prepareDataFolder(dataFolder, (line) => {
    log.info(line);
  });
  opened.defer(lockFolder(dataFolder));
  const mayHaveLostRecords = hasLostLog(dataFolder);
  if (!acceptLoss) requireLog(dataFolder);
  else if (mayHaveLostRecords) log.info(`the latest records in ${dataFolder} may be lost, as --accept-loss accepts`);
  const folder = join(dataFolder, attachmentsFolder);
  const attachments = await atStart(folder, () => AttachmentFolder.open(folder, randomBytes));
  const rules = { folder, trashAll, now: now() };
  const isNew = isNewDatabase(dataFolder);
  // Before the database is created, because the next start would no longer see it as new.
  const isNeverAttached = (): Promise<boolean> => Promise.resolve(false);
  if (isNew)
    await atStart(folder, () => sweepAttachments({ ...rules, isAttached: isNeverAttached, isNewDatabase: true }));
  const storage = new SqliteStorage(dataFolder, { now, randomBytes }, () => markRunning(dataFolder));
  opened.defer(async () => {
    await markStopped(dataFolder).finally(() => storage.close());
  });
  if (storage.isWritable) await markRunning(dataFolder);
  await settleUnfinished({ storage, attachments }, log);
  const isAttached = (digest: string): Promise<boolean> =>
    storage.read(({ attestations }) => attestations.isAttached(digest));
  const sweep = await sweepIfPossible({ ...rules, isAttached, isNewDatabase: false }, log);
  const attached = await storage.read(({ attestations }) => attestations.countAttached());
  const missing = sweep === undefined ? 0 : attached - sweep.attached;
  if (sweep !== undefined) logSweep(log, sweep, missing);
  const startRemarks = [
    ...(mayHaveLostRecords ? ['the latest records before this start may be lost'] : []),
    ...(missing > 0 ? [`${missing} attachments were missing at this start: ${missingRemedy}, and start again`] : []),
  ];
  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(dataFolder);
    return bavail * bsize;
  };
  return { storage, attachments, freeBytes, startRemarks };
}

/** Returns undefined if the disk has no room for the folder that attachments would be moved to. */
async function sweepIfPossible(rules: SweepRules, log: ServiceLog): Promise<Sweep | undefined> {
  try {
    return await sweepAttachments(rules);
  } catch (error) {
    if (!isFull(error)) throw toStartError(error, rules.folder);
    log.error('the attachments were not checked, because the disk is full; make room and start again', error);
    return undefined;
  }
}

const missingRemedy = 'list them with the command verify, and put their files back from a backup';

function logSweep(log: ServiceLog, { trashed, trash, left, unfinished }: Sweep, missing: number): void {
  if (unfinished > 0) log.info(`removed ${unfinished} unfinished uploads`);
  if (trashed > 0) log.info(`moved ${trashed} attachments that no record names to ${trash}`);
  if (left > 0)
    log.info(`left ${left} attachments that no record names in place; old ones are moved to the trash later`);
  if (missing > 0) {
    log.error(`${missing} attachments that records name are missing; ${missingRemedy}`);
  }
}
