import { isDeepStrictEqual } from 'node:util';
import type { TreeHead } from '../../runtime/transparency-log/checkpoint.ts';
import { findRoot, hashLeaf, TreeBuilder } from '../../runtime/transparency-log/tree.ts';
import { type AttachmentStore, DamagedAttachmentError } from '../platform/attachments/attachments.ts';
import { allStatements } from '../platform/database/database.ts';
import type { Storage } from '../platform/database/storage.ts';
import { digestDocument, encodeEntry } from './entry.ts';
import type { ListedEntry, LoggedRow } from './log-records.ts';
import { readHashes } from './log-use-cases.ts';
import { batchSize, type LoggedTable, loggedTables, type RecordKey, removed, toRecordKey } from './logged-table.ts';
import { findRecordedDocument, findRenamedKey, parseRename, type Rename } from './renamed-row.ts';

export interface VerifyDependencies {
  readonly storage: Storage;
  readonly attachments: Pick<AttachmentStore, 'verify'>;
  /** Receives each problem, as a sentence. */
  readonly report: (problem: string) => void;
}

/** A tree head that the log must continue. */
export interface KnownHead extends TreeHead {
  readonly name: string;
}

export interface VerifiedLog extends TreeHead {
  /** The number of entries of records that are older than the log. */
  readonly late: number;
  readonly attachments: number;
  readonly removedAttachments: number;
  /** The number of records that an upgrade still has to enter. */
  readonly unentered: number;
}

const entryBatch = 500;

/**
 * Compares the log of an organization with its records, their attachments, and earlier tree heads. The service may
 * be running.
 *
 * @throws Error if something was renamed in the meantime, because the reported problems may be wrong
 */
export async function verifyLog(
  dependencies: VerifyDependencies,
  org: string,
  known: readonly KnownHead[],
): Promise<VerifiedLog> {
  const { storage } = dependencies;
  const { size, signed, renamed, removedDigests } = await storage.read(async ({ log, removedAttachments }) => ({
    removedDigests: new Set(await removedAttachments.listDigests(org)),
    size: await log.findSize(org),
    signed: await log.findHead(org),
    renamed: await log.listRenames(org),
  }));
  const renames = renamed.flatMap(parseRename);
  const heads = [
    ...known,
    ...(signed === undefined ? [] : [{ ...signed, name: 'the checkpoint that was signed last' }]),
  ];
  const matched = new Set<number>();
  const records = { attachments: 0, removedAttachments: 0, unentered: 0 };
  for (const table of loggedTables) {
    if (table.isTransient === true) continue;
    const found = await verifyTable(dependencies, { org, table, renames, removedDigests, matched });
    records.attachments += found.attachments;
    records.removedAttachments += found.removedAttachments;
    records.unentered += found.unentered;
  }
  const verified = await verifyEntries(dependencies, { org, size, heads, renames, matched });
  if ((await storage.read(({ log }) => log.listRenames(org))).length !== renamed.length)
    throw new Error(`a flow or an environment of ${org} was renamed in the meantime; run the command again`);
  return { ...records, ...verified };
}

interface TableToVerify {
  readonly org: string;
  readonly table: LoggedTable;
  /** The latest first. */
  readonly renames: readonly Rename[];
  readonly removedDigests: ReadonlySet<string>;
  /** Receives the sequence numbers of the entries whose records exist. */
  readonly matched: Set<number>;
}

/** Compares the rows of a table with the latest entries of their records. */
async function verifyTable(
  { storage, attachments: store, report }: VerifyDependencies,
  { org, table, renames, removedDigests, matched }: TableToVerify,
): Promise<Pick<VerifiedLog, 'attachments' | 'removedAttachments' | 'unentered'>> {
  const isUnfinished = await storage.read(({ log }) => log.isUnfinished(org, table.kind));
  let [attachments, removedAttachments, unentered] = [0, 0, 0];
  let last: LoggedRow | undefined;
  do {
    const rows = await storage.read(({ log }) => log.listRows(table, org, last?.row, batchSize(table)));
    for (const { row, entry } of rows) {
      const subject = { kind: table.kind, ...toRecordKey(table, row) };
      if (entry === undefined && isUnfinished) unentered += 1;
      else if (entry === undefined || entry.kind.endsWith(removed))
        report(`extra: ${describe(subject)} is not in the log`);
      else {
        matched.add(entry.sequence);
        if (findRecordedDocument(table, row, entry, renames) === undefined)
          report(`altered: ${describe(subject)} is not what was recorded`);
      }
      const { attachment_digest: digest, attachment_size: bytes } = row;
      if (typeof digest !== 'string' || typeof bytes !== 'number') continue;
      if (removedDigests.has(digest)) {
        removedAttachments += 1;
        continue;
      }
      attachments += 1;
      const fault = await findFault({ storage, attachments: store }, org, { digest, size: bytes });
      if (fault !== undefined) report(`${fault}: the attachment of ${describe(subject)}, with the SHA-256 ${digest}`);
    }
    last = rows.at(-1);
  } while (last !== undefined);
  return { attachments, removedAttachments, unentered };
}

async function findFault(
  { storage, attachments }: Pick<VerifyDependencies, 'storage' | 'attachments'>,
  org: string,
  content: Parameters<AttachmentStore['verify']>[0],
): Promise<string | undefined> {
  try {
    await attachments.verify(content);
    return undefined;
  } catch (error) {
    if (!(error instanceof DamagedAttachmentError)) throw error;
    const removedNow = await storage.read(({ removedAttachments }) => removedAttachments.listDigests(org));
    return removedNow.includes(content.digest) ? undefined : error.fault;
  }
}

interface EntriesToVerify {
  readonly org: string;
  /** The number of entries when the verification began. */
  readonly size: number;
  readonly heads: readonly KnownHead[];
  /** The latest first. */
  readonly renames: readonly Rename[];
  /** The sequence numbers of the entries whose records exist. */
  readonly matched: ReadonlySet<number>;
}

/** Computes the tree from the entries, and finds entries whose records no longer exist. */
async function verifyEntries(
  { storage, report }: VerifyDependencies,
  { org, size, heads, renames, matched }: EntriesToVerify,
): Promise<TreeHead & Pick<VerifiedLog, 'late'>> {
  const tree = new TreeBuilder();
  let [next, late] = [0, 0];
  const compareHeads = (): void => {
    for (const head of heads) {
      if (head.size === next && !Buffer.from(head.root).equals(tree.root))
        report(`altered: the first ${next} entries are not those of ${head.name}; the history was rewritten`);
    }
  };
  compareHeads();
  while (next < size) {
    const entries = await storage.read(({ log }) => log.listWithLatest(org, next, entryBatch));
    for (const entry of entries.filter(({ sequence }) => sequence < size)) {
      if (entry.sequence > next) report(`missing: entries ${next} to ${entry.sequence - 1} of the log`);
      for (const problem of findProblems(entry, renames, matched)) report(problem);
      tree.add(hashLeaf(encodeEntry(entry)));
      next = entry.sequence + 1;
      if (entry.isLate) late += 1;
      compareHeads();
    }
    if (entries.length === 0) break;
  }
  for (const head of heads.filter((each) => each.size > size))
    report(`missing: the last ${head.size - size} entries of ${head.name}, which has ${head.size}`);
  const stored = await storage.read((records) => findRoot(readHashes(records, org, size), size)).catch(() => undefined);
  if (stored === undefined || !Buffer.from(stored).equals(tree.root))
    report('altered: the stored hashes of the tree are not those of the entries');
  return { size, root: tree.root, late };
}

/** Whether the service ever removes records of the table. */
const isRemoved = (table: LoggedTable): boolean =>
  [...allStatements.values()].some(({ logged }) => logged?.table === table && logged.isRemoval);

function* findProblems(
  entry: ListedEntry,
  renames: readonly Rename[],
  matched: ReadonlySet<number>,
): Generator<string, void> {
  const { sequence, leafHash, kind, isLatest } = entry;
  if (!Buffer.from(hashLeaf(encodeEntry(entry))).equals(leafHash)) yield `altered: ${nameOf(entry)}`;
  const isRemoval = kind.endsWith(removed);
  const table = loggedTables.find((known) => known.kind === (isRemoval ? kind.slice(0, -removed.length) : kind));
  if (table === undefined) return;
  yield* findDocumentProblems(table, entry, renames);
  if (table.isTransient === true) return;
  // Its only entry, or the latest one.
  const isExpected = isLatest || (table.keepsDocuments !== true && table.isRewritten !== true);
  if (isRemoval ? !isRemoved(table) : isExpected && !matched.has(sequence))
    yield `missing: ${describe({ ...entry, kind: table.kind })}, which entry ${sequence} of the log ${isRemoval ? 'marks as removed, although the service never removes such a record' : 'recorded'}`;
}

function* findDocumentProblems(
  table: LoggedTable,
  entry: ListedEntry,
  renames: readonly Rename[],
): Generator<string, void> {
  const { sequence, random, document, documentDigest, flow, environment, record } = entry;
  if (table.keepsDocuments !== true) return;
  if (document === undefined) yield `missing: the document of ${nameOf(entry)}`;
  else if (digestDocument(random, document) !== documentDigest) yield `altered: the document of ${nameOf(entry)}`;
  // The columns that find an entry are not hashed.
  else if (
    table.isTransient !== true &&
    !isDeepStrictEqual(findRenamedKey(table, { sequence, document }, renames), { flow, environment, record })
  )
    yield `altered: ${nameOf(entry)} is about another record`;
}

const nameOf = (entry: ListedEntry): string => `entry ${entry.sequence} of the log (${describe(entry)})`;

function describe({ kind, flow, environment, record }: RecordKey & { readonly kind: string }): string {
  const place = [flow === '' ? '' : ` of flow ${flow}`, environment === '' ? '' : ` of environment ${environment}`];
  return `${kind}${record === '' ? '' : ` ${record}`}${place.join('')}`;
}
