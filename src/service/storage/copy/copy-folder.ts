import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import type { AttachedContent } from '../attachments.ts';
import { databaseFile } from '../files/data-folder.ts';
import { Connections, withoutTimeLimits } from '../postgres/connections.ts';
import { parseDatabaseUrl } from '../postgres/database-url.ts';
import { migrate } from '../postgres/migrations.ts';
import { openAttachments, type PostgresOptions } from '../postgres/open-postgres.ts';
import { toDatabaseStartError } from '../postgres/start-errors.ts';
import { beginUnfinishedCopy, endUnfinishedCopy } from '../postgres/unfinished-copy.ts';
import { toS3StartError } from '../s3/open-s3-attachments.ts';
import { describeS3 } from '../s3/s3-options.ts';
import { findProblems, listAttachedContent } from '../sqlite/backup-database.ts';
import { translateError } from '../sqlite/database.ts';
import { lockFolder } from '../sqlite/folder-lock.ts';
import { readVersion, schemaVersion } from '../sqlite/migrations.ts';
import { toStartError } from '../start-error.ts';
import type { StorageDependencies } from '../storage.ts';
import type { DamagedAttachment } from '../collect-damaged.ts';
import { copyAttachments, verifyAttachments, type AttachmentTarget } from './copy-attachments.ts';
import { CopyError } from './copy-error.ts';
import { continueNumbers, copyTable, readContent } from './copy-table.ts';
import type { TableContent } from './table-digest.ts';
import { listTables, quote, type Table } from './tables.ts';
import { beginFilling, commitFilling, prepareConnection, requireEmpty } from './target-database.ts';

/** The number of rows between two lines of progress. */
const rowsPerLine = 100_000;

/** The number of attachments between two lines of progress. */
const attachmentsPerLine = 1000;

/** What to copy, and to where. */
export interface CopyRequest {
  readonly dataFolder: string;
  /** An empty database, and where the attachments go. */
  readonly target: Omit<PostgresOptions, 'kind'>;
  /** Whether to leave out damaged attachments instead of failing. */
  readonly leaveOutDamaged: boolean;
}

/** The dependencies of a copy. */
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
  if (!existsSync(path)) {
    throw new CopyError(`there is no database in ${dataFolder}; name the data folder of the service with --from`);
  }
  const unlock = lockFolder(dataFolder);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    requireCopyable(database, path);
    return await copyDatabase(database, request, dependencies);
  } catch (error) {
    throw toStartError(translateError(error), path);
  } finally {
    database?.close();
    unlock();
  }
}

function requireCopyable(database: DatabaseSync, path: string): void {
  const version = readVersion(database, path);
  if (version !== schemaVersion) {
    throw new CopyError(
      `the database ${path} has version ${version}, and this command copies version ${schemaVersion}; ` +
        'start this version of the service with the folder once, stop it, and run the command again',
    );
  }
  const problems = findProblems(database);
  if (problems.length === 0) return;
  throw new CopyError(`${path} is damaged (${problems.join('; ')}); restore a backup, and copy that`);
}

async function copyDatabase(
  database: DatabaseSync,
  { dataFolder, target, leaveOutDamaged }: CopyRequest,
  dependencies: CopyDependencies,
): Promise<CopyReport> {
  const address = parseDatabaseUrl(target.url);
  const { shown } = address;
  const connections = new Connections(address, { maximum: 8, limits: withoutTimeLimits });
  const closers: (() => Promise<void> | void)[] = [() => connections.close()];
  try {
    const client = await connections.open(withoutTimeLimits);
    // The pending query fails, too.
    client.on('error', () => undefined);
    closers.push(() => client.end());
    const tables = listTables(database);
    await prepareConnection(client);
    await migrate(client, shown);
    await requireEmpty(client, tables, shown);
    await beginUnfinishedCopy(client);
    const store = await openAttachments(target, connections, dependencies, closers);
    const { attachments: objects } = target;
    const place = objects === undefined ? shown : describeS3(objects);
    const toTargetError = (error: unknown): unknown =>
      objects === undefined ? toDatabaseStartError(error, address) : toS3StartError(error, objects);
    const copied = await copyContent(
      database,
      { dataFolder, leaveOutDamaged, to: { attachments: store, shown: place, toStartError: toTargetError } },
      dependencies,
    );
    const contents = await fillTables({ database, client, tables, shown }, dependencies);
    return { target: shown, tables: contents, ...copied };
  } catch (error) {
    throw toDatabaseStartError(error, address);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

interface ContentToCopy extends Pick<CopyRequest, 'dataFolder' | 'leaveOutDamaged'> {
  readonly to: AttachmentTarget;
}

/** Copies the attachments, and verifies them. */
async function copyContent(
  database: DatabaseSync,
  { dataFolder, leaveOutDamaged, to }: ContentToCopy,
  { writeLine }: CopyDependencies,
): Promise<Pick<CopyReport, 'attachments' | 'leftOut'>> {
  let [count, bytes] = [0, 0];
  const leftOut = await copyAttachments(listAttachedContent(database), dataFolder, to, ({ size }) => {
    count += 1;
    bytes += size;
    if (count % attachmentsPerLine === 0) writeLine(`copied ${count} attachments (${bytes} bytes)`);
  });
  const missing = new Set(leftOut.map(({ digest }) => digest));
  if (missing.size > 0 && !leaveOutDamaged) {
    const remedy = 'put them back from a backup, or copy the others with --leave-out-damaged';
    throw new CopyError(
      [
        `${dataFolder} holds damaged attachments (${missing.size}), so no record was copied; ${remedy}`,
        ...describeDamaged(leftOut),
      ].join('\n'),
    );
  }
  const damaged = await verifyAttachments(listWithout(missing, database), to);
  if (damaged.length === 0) return { attachments: { count, bytes }, leftOut };
  throw new CopyError(
    [
      `attachments in ${to.shown} differ from what was copied, so no record was copied; copy again`,
      ...describeDamaged(damaged),
    ].join('\n'),
  );
}

function* listWithout(missing: ReadonlySet<string>, database: DatabaseSync): Generator<AttachedContent> {
  for (const content of listAttachedContent(database)) if (!missing.has(content.digest)) yield content;
}

/** Describes damaged attachments, one line each. */
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
  { writeLine }: CopyDependencies,
): Promise<CopyReport['tables']> {
  await beginFilling(client, tables);
  // Since the first check, another copy or a service may have written to them.
  await requireEmpty(client, tables, shown);
  const contents: (TableContent & { readonly name: string })[] = [];
  let count = 0;
  for (const table of tables) {
    const content = await copyTable(database, client, table, (rows) => {
      const lines = Math.floor(count / rowsPerLine);
      count += rows;
      if (Math.floor(count / rowsPerLine) > lines) writeLine(`copied ${count} rows`);
    });
    await continueNumbers(client, table);
    contents.push({ name: table.name, ...content });
  }
  await client.query(`ANALYZE ${tables.map(({ name }) => quote(name)).join(', ')}`);
  for (const [index, table] of tables.entries()) {
    const [source, copy] = [contents[index], await readContent(client, table)];
    if (source?.rows === copy.rows && source.digest === copy.digest) continue;
    throw new CopyError(
      `the table ${table.name} in ${shown} has ${copy.rows} rows with the SHA-256 ${copy.digest} instead of ` +
        `${source?.rows} with ${source?.digest}, so nothing was copied; report this as a defect`,
    );
  }
  await endUnfinishedCopy(client);
  await commitFilling(client, shown);
  return contents;
}
