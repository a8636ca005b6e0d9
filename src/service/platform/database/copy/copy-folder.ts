import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import type { Now } from '../../../../runtime/clock.ts';
import type { AttachedContent } from '../../attachments/attachments.ts';
import type { DamagedAttachment } from '../../attachments/collect-damaged.ts';
import { databaseFile } from '../../attachments/files/data-folder.ts';
import { readChunks } from '../../attachments/files/verified-file.ts';
import { toS3StartError } from '../../attachments/s3/open-s3-attachments.ts';
import { describeS3 } from '../../attachments/s3/s3-options.ts';
import { Connections, withoutTimeLimits } from '../postgres/connections.ts';
import { parseDatabaseUrl } from '../postgres/database-url.ts';
import { migrate } from '../postgres/migrations.ts';
import { type DatabaseOptions, openAttachments } from '../postgres/open-postgres.ts';
import { toDatabaseStartError } from '../postgres/start-errors.ts';
import { beginUnfinishedCopy, endUnfinishedCopy } from '../postgres/unfinished-copy.ts';
import { findProblems, listAttachedContent } from '../sqlite/backup-database.ts';
import { openReadOnly, translateError } from '../sqlite/database.ts';
import { lockFolder } from '../sqlite/folder-lock.ts';
import { readVersion, schemaVersion } from '../sqlite/migrations.ts';
import { requireLog } from '../sqlite/unclean-stop.ts';
import { toStartError } from '../start-error.ts';
import type { StorageDependencies } from '../storage.ts';
import { type AttachmentTarget, copyAttachments, verifyAttachments } from './copy-attachments.ts';
import { CopyError } from './copy-error.ts';
import { continueNumbers, copyTable, countRows, readContent } from './copy-table.ts';
import type { TableContent } from './table-digest.ts';
import { listTables, quote, type Table } from './tables.ts';
import { beginFilling, commitFilling, prepareConnection, requireEmpty } from './target-database.ts';

export interface CopyRequest {
  readonly dataFolder: string;
  /** An empty database, and where the attachments go. */
  readonly target: DatabaseOptions;
  /** Whether to leave out damaged attachments instead of failing. */
  readonly leaveOutDamaged: boolean;
}

export interface CopyDependencies extends StorageDependencies {
  /** Receives the progress, one line at a time. */
  readonly writeLine: (line: string) => void;
}

/** What was copied, and is the same on both sides. */
export interface CopyReport {
  /** Without secrets. */
  readonly target: string;
  readonly tables: readonly (TableContent & { readonly name: string })[];
  readonly attachments: { readonly count: number; readonly bytes: number };
  readonly leftOut: readonly DamagedAttachment[];
}

/**
 * Copies a data folder, which is locked meanwhile and not changed, to an empty PostgreSQL database, and verifies the
 * copy before it is committed. The attachments come first, then all tables in one transaction. An interrupted copy
 * leaves nothing but attachments, and can be run again.
 *
 * @throws CopyError or StartError if that is not possible.
 */
export async function copyFolder(request: CopyRequest, dependencies: CopyDependencies): Promise<CopyReport> {
  const { dataFolder } = request;
  const path = join(dataFolder, databaseFile);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    throw new CopyError(`there is no database in ${dataFolder}; name the data folder of the service with --from`);
  }
  const unlock = lockFolder(dataFolder);
  try {
    requireLog(dataFolder);
    using database = openReadOnly(path);
    requireSameVersion(database, path);
    return await copyDatabase({ database, path, size }, request, dependencies);
  } catch (error) {
    throw toStartError(translateError(error), path);
  } finally {
    unlock();
  }
}

function requireSameVersion(database: DatabaseSync, path: string): void {
  const version = readVersion(database, path);
  if (version === schemaVersion) return;
  throw new CopyError(
    `the database ${path} has version ${version}, and this command copies version ${schemaVersion}; ` +
      'start this version of the service with the folder once, stop it, and run the command again',
  );
}

interface SourceDatabase {
  readonly database: DatabaseSync;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

async function copyDatabase(
  source: SourceDatabase,
  { dataFolder, target, leaveOutDamaged }: CopyRequest,
  dependencies: CopyDependencies,
): Promise<CopyReport> {
  const { database } = source;
  const progress = new Progress(dependencies);
  const address = parseDatabaseUrl(target.url);
  const { shown } = address;
  await using opened = new AsyncDisposableStack();
  const limits = withoutTimeLimits;
  const connections = opened.adopt(new Connections(address, { maximum: 8, limits }), (open) => open.close());
  try {
    const client = opened.adopt(await connections.open(limits), (open) => open.end());
    // The pending query fails, too.
    client.on('error', () => undefined);
    const tables = listTables(database);
    await prepareConnection(client);
    await migrate(client, shown);
    await requireEmpty(client, tables, shown);
    const store = await openAttachments(target.attachments, connections, dependencies, opened);
    await beginUnfinishedCopy(client);
    // This may take minutes, so it comes after all mistakes in the command have been found.
    await requireUndamaged(source, progress);
    const { attachments: objects } = target;
    const place = objects === undefined ? shown : describeS3(objects);
    const toTargetError = (error: unknown): unknown =>
      objects === undefined ? toDatabaseStartError(error, address) : toS3StartError(error, objects);
    const copied = await copyContent(
      database,
      { dataFolder, leaveOutDamaged, to: { attachments: store, shown: place, toStartError: toTargetError } },
      progress,
    );
    const contents = await fillTables({ database, client, tables, shown }, progress);
    return { target: shown, tables: contents, ...copied };
  } catch (error) {
    throw toDatabaseStartError(error, address);
  }
}

async function requireUndamaged({ database, path, size }: SourceDatabase, progress: Progress): Promise<void> {
  progress.begin(`checking the database ${path} (${size} bytes)`);
  await preloadFile(path, (bytes) => {
    progress.report(() => `read ${bytes} of ${size} bytes`);
  });
  const problems = findProblems(database);
  if (problems.length === 0) return;
  throw new CopyError(`${path} is damaged (${problems.join('; ')}); restore a backup, and copy that`);
}

interface ContentToCopy extends Pick<CopyRequest, 'dataFolder' | 'leaveOutDamaged'> {
  readonly to: AttachmentTarget;
}

async function copyContent(
  database: DatabaseSync,
  { dataFolder, leaveOutDamaged, to }: ContentToCopy,
  progress: Progress,
): Promise<Pick<CopyReport, 'attachments' | 'leftOut'>> {
  const all = listAttachedContent(database);
  progress.begin(`copying ${all.length} attachments (${sumBytes(all)} bytes)`);
  const leftOut = await copyAttachments(all, dataFolder, to, countDone('copied', all, progress));
  if (leftOut.length > 0 && !leaveOutDamaged) {
    const remedy = 'put them back from a backup, or copy the others with --leave-out-damaged';
    throw new CopyError(
      [
        `${dataFolder} holds damaged attachments (${leftOut.length}), so no record was copied; ${remedy}`,
        ...describeDamaged(leftOut),
      ].join('\n'),
    );
  }
  const missing = new Set(leftOut.map(({ digest }) => digest));
  const copied = all.filter(({ digest }) => !missing.has(digest));
  progress.begin(`comparing ${copied.length} attachments`);
  const damaged = await verifyAttachments(copied, to, countDone('compared', copied, progress));
  if (damaged.length === 0) return { attachments: { count: copied.length, bytes: sumBytes(copied) }, leftOut };
  throw new CopyError(
    [
      `attachments in ${to.shown} differ from what was copied, so no record was copied; copy again`,
      ...describeDamaged(damaged),
    ].join('\n'),
  );
}

const sumBytes = (contents: readonly AttachedContent[]): number => contents.reduce((sum, { size }) => sum + size, 0);

/** Returns a function that reports how many of the attachments are done. Call it after each. */
function countDone(verb: string, all: readonly AttachedContent[], progress: Progress): (done: AttachedContent) => void {
  const total = sumBytes(all);
  let [count, bytes] = [0, 0];
  return ({ size }) => {
    count += 1;
    bytes += size;
    progress.report(() => `${verb} ${count} of ${all.length} attachments (${bytes} of ${total} bytes)`);
  };
}

export function describeDamaged(damaged: readonly DamagedAttachment[]): readonly string[] {
  return damaged.map(({ digest, fault }) => `  ${digest} is ${fault}`);
}

interface Filling {
  readonly database: DatabaseSync;
  readonly client: Client;
  readonly tables: readonly Table[];
  readonly shown: string;
}

/** Fills the tables in one transaction, which is committed if they have the same content as those of the source. */
async function fillTables(
  { database, client, tables, shown }: Filling,
  progress: Progress,
): Promise<CopyReport['tables']> {
  const total = tables.reduce((sum, table) => sum + countRows(database, table), 0);
  progress.begin(`locking the tables in ${shown}`);
  await beginFilling(client, tables);
  // Since the first check, another copy or a service may have written to them.
  await requireEmpty(client, tables, shown);
  progress.begin(`copying ${total} rows in ${tables.length} tables`);
  const contents: (TableContent & { readonly name: string })[] = [];
  let copied = 0;
  for (const table of tables) {
    const content = await copyTable(database, client, table, (rows) => {
      copied += rows;
      progress.report(() => `copied ${copied} of ${total} rows`);
    });
    await continueNumbers(client, table);
    contents.push({ name: table.name, ...content });
  }
  progress.begin(`comparing ${copied} rows`);
  await client.query(`ANALYZE ${tables.map(({ name }) => quote(name)).join(', ')}`);
  let compared = 0;
  for (const [index, table] of tables.entries()) {
    const copy = await readContent(client, table, (rows) => {
      compared += rows;
      progress.report(() => `compared ${compared} of ${copied} rows`);
    });
    const source = contents[index];
    if (source?.rows === copy.rows && source.digest === copy.digest) continue;
    throw new CopyError(
      `the table ${table.name} in ${shown} has ${copy.rows} rows with the SHA-256 ${copy.digest} instead of ` +
        `${source?.rows} with ${source?.digest}, so nothing was copied; report this as a defect`,
    );
  }
  await endUnfinishedCopy(client);
  await commitFilling(client, tables, shown);
  return contents;
}

/**
 * Reads a file once from its beginning to its end, so that the operating system has it in memory. Reading an SQLite
 * database in the order of its indexes is many times slower if each page comes from the disk on its own.
 *
 * @param onRead called with the number of bytes that have been read so far
 */
async function preloadFile(path: string, onRead: (bytes: number) => void): Promise<void> {
  await using file = await open(path);
  let bytes = 0;
  for await (const { length } of readChunks(file)) {
    bytes += length;
    onRead(bytes);
  }
}

/** The time between two lines about the same phase, in milliseconds. */
const interval = 10_000;

/** Tells the operator what is being done, and how far it is. */
class Progress {
  readonly #monotonic: Now;
  readonly #writeLine: (line: string) => void;
  #last = 0;

  constructor({ monotonic, writeLine }: Pick<CopyDependencies, 'monotonic' | 'writeLine'>) {
    this.#monotonic = monotonic;
    this.#writeLine = writeLine;
  }

  begin(line: string): void {
    this.#last = this.#monotonic();
    this.#writeLine(line);
  }

  /** Writes how far the phase is, unless the last line is recent. Call it often. */
  report(describe: () => string): void {
    if (this.#monotonic() - this.#last < interval) return;
    this.begin(describe());
  }
}
