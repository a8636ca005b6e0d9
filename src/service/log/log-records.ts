import type { TreeHead } from '../../runtime/transparency-log/checkpoint.ts';
import { countHashes, foldHashes, hashLeaf, tileWidth } from '../../runtime/transparency-log/tree.ts';
import { defineStatements, lookUpAll, Repository, type Statement, type Value } from '../platform/database/database.ts';
import {
  blob,
  column,
  flag,
  number,
  optionalNumber,
  optionalText,
  type Row,
  text,
  toRecord,
} from '../platform/database/rows.ts';
import { digestDocument, encodeEntry, type LogEntry } from './entry.ts';
import {
  type LoggedTable,
  loggedTables,
  type LoggedWrite,
  type RecordKey,
  removed,
  toColumn,
  toDocument,
  toRecordKey,
} from './logged-table.ts';

export interface NewEntry extends Omit<LogEntry, 'sequence'>, RecordKey {
  readonly org: string;
  readonly random: Uint8Array;
  /** The document, if the log keeps it. */
  readonly document: string | undefined;
}

export interface StoredEntry extends LogEntry, RecordKey {
  readonly random: Uint8Array;
  readonly document: string | undefined;
  readonly leafHash: Uint8Array;
}

/** A stored entry, and whether the record has no later one. */
export interface ListedEntry extends StoredEntry {
  readonly isLatest: boolean;
}

/** A row of a logged table, and the latest entry of its record. */
export interface LoggedRow {
  readonly row: Row;
  readonly entry: StoredEntry | undefined;
}

const columns = [
  ...['sequence', 'kind', 'flow', 'environment', 'record', 'entered_at', 'document_digest', 'attachment_digest'],
  ...['random', 'is_late', 'document', 'leaf_hash'],
];
/** The columns of an entry `e` (`toEntry`). */
export const entryColumns = columns.map((column) => `e.${column} AS entry_${column}`).join(', ');

const orderOf = ({ order, flow, environment, key }: LoggedTable): readonly string[] =>
  order ?? [flow, environment, ...key].filter((column) => column !== undefined);

/** Selects from the entries `l` of the record in the row `t` of a table. */
export function selectFromEntries({ flow, environment, key, kind }: LoggedTable, what: string, condition = ''): string {
  const valueOf = (column: string | undefined): string => (column === undefined ? "''" : `t.${toColumn(column)}`);
  const record = key.map((column) => `CAST(${valueOf(column)} AS text)`).join(" || '/' || ");
  return `(SELECT ${what} FROM log_entries l WHERE l.org = t.org AND l.kind IN ('${kind}', '${kind}${removed}')
    AND l.flow = ${valueOf(flow)} AND l.environment = ${valueOf(environment)} AND l.record = ${record || "''"} ${condition})`;
}

/** The columns of a row `t` of a table. */
export const rowColumns = ({ columns: named }: LoggedTable): string =>
  ['org', ...named].map((column) => `t.${toColumn(column)}`).join(', ');

/** The statements, by table, that select rows in the order of the key, with the latest entries of their records. */
function selectRows(which: 'first' | 'next'): Readonly<Record<string, string>> {
  const selects = loggedTables.map((table) => {
    const order = orderOf(table).map((column) => `t.${toColumn(column)}`);
    const place = order.map((_, index) => `$${index + 3}`);
    const after = which === 'first' ? '' : `AND (${order.join(', ')}) > (${place.join(', ')})`;
    return [
      table.table,
      `SELECT ${rowColumns(table)}, ${entryColumns} FROM ${table.table} t
        LEFT JOIN log_entries e ON e.org = t.org AND e.sequence = ${selectFromEntries(table, 'max(l.sequence)')}
        WHERE t.org = $1 ${after} ORDER BY ${order.join(', ')} LIMIT $2`,
    ] as const;
  });
  return Object.fromEntries(selects);
}

const firstRows = defineStatements('log_first', selectRows('first'));
const nextRows = defineStatements('log_next', selectRows('next'));

const statements = defineStatements('log', {
  findSize: 'SELECT coalesce(max(sequence), -1) + 1 AS size FROM log_entries WHERE org = $1',
  listLeafHashes: `SELECT leaf_hash AS hash FROM log_entries WHERE org = $1 AND sequence >= $2 AND sequence < $3
    ORDER BY sequence`,
  listHashes: `SELECT hash FROM log_hashes WHERE org = $1 AND level = $4 AND number >= $2 AND number < $3
    ORDER BY number`,
  list: `SELECT ${entryColumns} FROM log_entries e WHERE e.org = $1 AND e.sequence >= $2 AND e.sequence < $3
    ORDER BY e.sequence`,
  listWithLatest: `SELECT ${entryColumns}, CASE WHEN EXISTS (
      SELECT 1 FROM log_entries l WHERE l.org = e.org AND l.kind IN (e.kind, e.kind || '${removed}') AND l.flow = e.flow
        AND l.environment = e.environment AND l.record = e.record AND l.sequence > e.sequence
    ) THEN 0 ELSE 1 END AS is_latest
    FROM log_entries e WHERE e.org = $1 AND e.sequence >= $2 ORDER BY e.sequence LIMIT $3`,
  listRenames: `SELECT sequence, document FROM log_entries WHERE org = $1 AND kind = 'rename' AND document IS NOT NULL
    ORDER BY sequence DESC`,
  findRecord: `SELECT max(sequence) AS sequence FROM log_entries
    WHERE org = $1 AND kind = $2 AND flow = '' AND environment = '' AND record = $3`,
  findInFlows: `SELECT max(e.sequence) AS sequence FROM flows f ${lookUpAll(
    'log_entries',
    'e',
    `e.org = f.org AND e.kind = $2 AND e.flow = f.name AND e.environment = '' AND e.record >= $3 AND e.record < $4`,
  )} WHERE f.org = $1`,
  findHead: 'SELECT size, root FROM log_heads WHERE org = $1',
  findUnfinished: `SELECT org, kind FROM log_unfinished WHERE (org, kind) > ($1, $2) ORDER BY org, kind LIMIT 1`,
  isUnfinished: 'SELECT 1 FROM log_unfinished WHERE org = $1 AND kind = $2',

  append: `INSERT INTO log_entries (org, ${columns.join(', ')})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
  appendHash: 'INSERT INTO log_hashes (org, level, number, hash) VALUES ($1, $2, $3, $4)',
  saveHead: `INSERT INTO log_heads (org, size, root) VALUES ($1, $2, $3)
    ON CONFLICT (org) DO UPDATE SET size = excluded.size, root = excluded.root`,
  finish: 'DELETE FROM log_unfinished WHERE org = $1 AND kind = $2',
});

export class LogReader extends Repository {
  findSize(org: string): Promise<number> {
    return this.queryNumber(statements.findSize, [org], 'size');
  }

  /** The hashes of a level of the tree (`ReadHashes`). */
  listHashes(org: string, level: number, from: number, to: number): Promise<readonly Uint8Array[]> {
    const [statement, values]: readonly [Statement, readonly Value[]] =
      level === 0 ? [statements.listLeafHashes, [org, from, to]] : [statements.listHashes, [org, from, to, level]];
    return this.queryAll(statement, values, (row) => blob(row, 'hash'));
  }

  list(org: string, from: number, to: number): Promise<readonly StoredEntry[]> {
    return this.queryAll(statements.list, [org, from, to], toEntry);
  }

  /** The entries from a sequence number on. */
  listWithLatest(org: string, from: number, limit: number): Promise<readonly ListedEntry[]> {
    return this.queryAll(statements.listWithLatest, [org, from, limit], (row) => ({
      ...toEntry(row),
      isLatest: flag(row, 'is_latest'),
    }));
  }

  /** The documents of the renames, the latest first, and their sequence numbers. */
  listRenames(org: string): Promise<readonly { readonly sequence: number; readonly document: string }[]> {
    return this.queryAll(statements.listRenames, [org], toRename);
  }

  /** The latest entry of a record that belongs to no flow or environment; undefined if there is none. */
  async findRecord(org: string, kind: string, record: string): Promise<number | undefined> {
    const [row = {}] = await this.query(statements.findRecord, [org, kind, record]);
    return optionalNumber(row, 'sequence');
  }

  /** The latest entry of the records of any flow whose key begins with this text; undefined if there is none. */
  async findInFlows(org: string, kind: string, start: string): Promise<number | undefined> {
    const [row = {}] = await this.query(statements.findInFlows, [org, kind, start, `${start}~`]);
    return optionalNumber(row, 'sequence');
  }

  /** The size and root in the latest signed checkpoint. */
  findHead(org: string): Promise<TreeHead | undefined> {
    return this.queryFirst(statements.findHead, [org], toTreeHead);
  }

  /** The first organization and kind with records that are older than the log and may not be entered yet. */
  findUnfinished(): Promise<{ readonly org: string; readonly kind: string } | undefined> {
    return this.queryFirst(statements.findUnfinished, ['', ''], toUnfinished);
  }

  /** Whether records of the kind that are older than the log may have no entries. */
  async isUnfinished(org: string, kind: string): Promise<boolean> {
    return (await this.query(statements.isUnfinished, [org, kind])).length > 0;
  }

  /** Rows of a logged table in the order of its key, after one of them. */
  listRows(table: LoggedTable, org: string, after: Row | undefined, limit: number): Promise<readonly LoggedRow[]> {
    const place = after === undefined ? [] : orderOf(table).map((column) => toValue(after[column]));
    const statement = (after === undefined ? firstRows : nextRows)[table.table];
    if (statement === undefined) throw new TypeError(`the table ${table.table} is not logged`);
    return this.queryAll(statement, [org, limit, ...place], (row) => ({
      row,
      entry: toOptionalEntry(row),
    }));
  }
}

/** Adds to the log. No entry is ever changed; renames only change the names by which entries are found. */
export class LogWriter extends LogReader {
  /** Appends entries in their order. */
  async append(org: string, added: readonly NewEntry[]): Promise<void> {
    const size = await this.findSize(org);
    const appended = added.map((entry, index) => this.#insert(org, { ...entry, sequence: size + index }));
    await Promise.all(appended);
    for (let index = size; index < size + added.length; index += 1) await this.#completeTiles(org, index + 1);
  }

  #insert(org: string, entry: NewEntry & LogEntry): Promise<void> {
    const { sequence, kind, flow, environment, record, at, documentDigest, attachmentDigest = null } = entry;
    const { random, isLate, document = null } = entry;
    return this.run(statements.append, [
      ...[org, sequence, kind, flow, environment, record, at, documentDigest, attachmentDigest, random],
      ...[Number(isLate), document, hashLeaf(encodeEntry(entry))],
    ]);
  }

  /** Appends the hashes of the tiles that the last entry of a tree of this size completes. */
  async #completeTiles(org: string, size: number): Promise<void> {
    for (let level = 1; size % tileWidth ** level === 0; level += 1) {
      const index = countHashes(level, size) - 1;
      const hashes = await this.listHashes(org, level - 1, index * tileWidth, (index + 1) * tileWidth);
      await this.run(statements.appendHash, [org, level, index, foldHashes(hashes)]);
    }
  }

  saveHead(org: string, { size, root }: TreeHead): Promise<void> {
    return this.run(statements.saveHead, [org, size, root]);
  }

  /** Notes that all records of a kind that are older than the log are entered. */
  finish(org: string, kind: string): Promise<void> {
    return this.run(statements.finish, [org, kind]);
  }
}

/** Creates the entry of a row that was written. */
export function toNewEntry(
  { table, isRemoval }: LoggedWrite,
  row: Row,
  { at, random, isLate = false }: Pick<NewEntry, 'at' | 'random'> & { readonly isLate?: boolean },
): NewEntry {
  const document = toDocument(table, row);
  return {
    org: text(row, 'org'),
    ...toRecordKey(table, row),
    ...{ at, random, isLate, kind: isRemoval ? table.kind + removed : table.kind },
    documentDigest: digestDocument(random, document),
    attachmentDigest: 'attachment_digest' in row ? optionalText(row, 'attachment_digest') : undefined,
    document: table.keepsDocuments === true ? document : undefined,
  };
}

const toRename = toRecord({ sequence: number, document: text });

const toTreeHead = toRecord<TreeHead>({ size: number, root: blob });

const toUnfinished = toRecord({ org: text, kind: text });

/** Reads an entry; undefined if the record has none. */
export function toOptionalEntry(row: Row): StoredEntry | undefined {
  return row['entry_sequence'] === null ? undefined : toEntry(row);
}

const toEntry = toRecord<StoredEntry>(
  {
    ...{ sequence: number, kind: text, flow: text, environment: text, record: text, at: column('entered_at', number) },
    ...{ documentDigest: text, attachmentDigest: optionalText, random: blob, isLate: flag },
    ...{ document: optionalText, leafHash: blob },
  },
  'entry_',
);

/** A value of a row, to be passed to a statement. */
function toValue(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError('a key of a logged table is neither a text nor a number');
}
