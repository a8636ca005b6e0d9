import { LRUCache } from 'lru-cache';
import { digestDocument, encodeEntry } from '../log/entry.ts';
import { createCheckpoint, type LogSigner, proveEntries } from '../log/log-use-cases.ts';
import { type LoggedTable, removed, toDocument, toRecordKey } from '../log/logged-table.ts';
import { findRecordedDocument, parseRename } from '../log/renamed-row.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { readCurrent } from '../platform/judging/pending-snapshots.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { NumberRange } from '../platform/time-series.ts';
import { numberAt } from '../snapshot/snapshot-series.ts';
import { toSeries } from '../snapshot/snapshot-use-cases.ts';
import type { EnvironmentSubject, PackagedLog, PackagedRecord, PackageSubject } from './audit-package.ts';
import {
  findTable,
  type RecordQuery,
  type SelectedRow,
  type SelectionName,
  type TimeSpan,
} from './audit-package-records.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

/** A rename that was requested while a package is made, and could hide records from it. */
export class RenamedMeanwhileError extends Error {
  override readonly name = 'RenamedMeanwhileError';

  constructor() {
    super('a flow or an environment was renamed meanwhile; request the package again');
  }
}

/** How many parts of tiles are kept for the proofs of a package. Each has 128 hashes at most, or is a tile. */
const cachedTiles = 512;

/** Signs the checkpoint that a package is made for. */
export async function readPackagedLog({ storage }: Dependencies, org: string, signer: LogSigner): Promise<PackagedLog> {
  const checkpoint = await createCheckpoint({ storage }, org, signer);
  const renames = await storage.read(({ log }) => log.listRenames(org));
  const tiles = new LRUCache<string, Promise<readonly Uint8Array[]>>({ max: cachedTiles });
  return { org, checkpoint, tiles, renames: renames.flatMap(parseRename) };
}

/** Whether the subject of a package exists. Also makes the snapshots that are due. */
export function findSubject(
  dependencies: Dependencies,
  org: string,
  subject: PackageSubject,
): Promise<'found' | 'flow not found' | 'not found'> {
  const environments = subject.kind === 'environment' ? [subject.environment] : [];
  return readCurrent(dependencies, { org, environments }, async ({ flows, trails, artifacts, environments: all }) => {
    if (subject.kind === 'environment')
      return (await all.findHead(org, subject.environment)) === undefined ? 'not found' : 'found';
    const { flow } = subject;
    if (!(await flows.exists(org, flow))) return 'flow not found';
    if (subject.kind === 'flow') return 'found';
    const exists =
      subject.kind === 'trail'
        ? (await trails.find({ org, flow, name: subject.trail })) !== undefined
        : await artifacts.exists({ org, flow }, subject.fingerprint);
    return exists ? 'found' : 'not found';
  });
}

/** How many records are read at once: snapshots can have 16 MiB, and documents of attestations 1 MiB. */
const batchSize = (name: SelectionName): number => (name === 'snapshots' ? 1 : 20);

/**
 * Reads the records of a selection that were recorded before the checkpoint, each batch in a transaction of its own.
 *
 * @throws RenamedMeanwhileError if a flow or an environment was renamed since the checkpoint, which could hide records
 */
export async function* readRecords(
  { storage, judging }: Dependencies,
  log: PackagedLog,
  query: Pick<RecordQuery, 'name' | 'key' | 'numbers'>,
): AsyncGenerator<PackagedRecord> {
  const table = findTable(query.name);
  const wanted = { ...query, org: log.org, size: log.checkpoint.size, limit: batchSize(query.name) };
  let rows: readonly SelectedRow[] = [];
  do {
    await judging.turns.next();
    const last = rows.at(-1);
    const batch = await storage.read(async (transaction) => {
      const found = await transaction.auditPackages.list(wanted, last);
      if ((await transaction.log.listRenames(log.org)).length !== log.renames.length) throw new RenamedMeanwhileError();
      return { found, packaged: await toRecords(transaction, log, table, found) };
    });
    yield* batch.packaged;
    rows = batch.found;
  } while (rows.length === wanted.limit);
}

/**
 * The numbers of the snapshots that were current in the time span; undefined if the environment does not exist.
 *
 * @param now in Unix seconds
 */
export function findSnapshotNumbers(
  { storage }: Dependencies,
  org: string,
  { environment, from, to }: EnvironmentSubject,
  now: number,
): Promise<NumberRange | undefined> {
  return storage.read(async (transaction) => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return undefined;
    const series = toSeries(transaction, head);
    return {
      first: from === undefined ? 1 : Math.max(1, await numberAt(series, from, now)),
      last: to === undefined ? series.length : await numberAt(series, to, now),
    };
  });
}

async function toRecords(
  transaction: ReadTransaction,
  log: PackagedLog,
  table: LoggedTable,
  rows: readonly SelectedRow[],
): Promise<readonly PackagedRecord[]> {
  const prove = proveEntries(transaction, log.org, log.checkpoint, log.tiles);
  const packaged: PackagedRecord[] = [];
  for (const { row, entry, isEnteredLate } of rows) {
    const about = { kind: table.kind, title: toTitle(table, row), row };
    if (entry === undefined || entry.kind.endsWith(removed)) {
      if (isEnteredLate === false) continue;
      const isOlder = isEnteredLate ?? (await transaction.log.isUnfinished(log.org, table.kind));
      const fault = isOlder ? undefined : 'has no entry in the log: it was not written by the service';
      packaged.push({ ...about, document: toDocument(table, row), fault });
      continue;
    }
    const { sequence, isLate, random, documentDigest, document: kept } = entry;
    const document =
      kept !== undefined && digestDocument(random, kept) === documentDigest
        ? kept
        : findRecordedDocument(table, row, entry, log.renames);
    packaged.push({
      ...about,
      document: document ?? toDocument(table, row),
      proven: {
        ...{ sequence, isLate, random },
        entry: Buffer.from(encodeEntry(entry)).toString(),
        proof: await prove(sequence),
      },
      fault: document === undefined ? 'is not what was recorded' : undefined,
    });
  }
  return packaged;
}

/** The names by which readers recognize a record. */
function toTitle(table: LoggedTable, row: SelectedRow['row']): string {
  const { flow, environment, record } = toRecordKey(table, row);
  const parts = [flow, environment, row['trail'], row['name'], record];
  return [...new Set(parts.filter((part) => typeof part === 'string' && part !== ''))].join(' · ');
}

/** Reads the names of the trails of a flow that have records of a time span. */
export async function* readTrailNames(
  { storage, judging }: Dependencies,
  org: string,
  flow: string,
  span: TimeSpan,
): AsyncGenerator<string> {
  for (let after = ''; ;) {
    await judging.turns.next();
    const from = after;
    const trails = await storage.read(({ auditPackages }) => auditPackages.listTrails(org, flow, from, span));
    yield* trails.filter(({ isInSpan }) => isInSpan).map(({ name }) => name);
    const last = trails.at(-1);
    if (last === undefined) return;
    after = last.name;
  }
}
