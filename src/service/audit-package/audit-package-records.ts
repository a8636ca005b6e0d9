import { entryColumns, type LoggedRow, rowColumns, selectFromEntries, toOptionalEntry } from '../log/log-records.ts';
import { type LoggedTable, loggedTables, toColumn } from '../log/logged-table.ts';
import { defineStatements, isAnyOf, Repository, type Value } from '../platform/database/database.ts';
import { flag, flagOrNull, number, type Row, text, toRecord } from '../platform/database/rows.ts';
import type { NumberRange } from '../platform/time-series.ts';

/** Selects logged records that belong together. */
interface Selection {
  readonly kind: string;
  /** The columns that select them; `id` by a list of ids. */
  readonly by: readonly string[];
  /** The column that orders them; absent if there is only one. */
  readonly order?: string;
}

const selections = {
  flow: { kind: 'flow', by: ['name'] },
  trail: { kind: 'trail', by: ['flow', 'name'] },
  trailTemplate: { kind: 'trail template', by: ['flow', 'trail'] },
  trailUpdates: { kind: 'trail update', by: ['flow', 'trail'], order: 'sequence' },
  artifactsOfTrail: { kind: 'artifact', by: ['flow', 'trail'], order: 'sequence' },
  reportsOfArtifact: { kind: 'artifact', by: ['flow', 'fingerprint'], order: 'sequence' },
  attestationsOfTrail: { kind: 'attestation', by: ['flow', 'trail'], order: 'sequence' },
  attestations: { kind: 'attestation', by: ['flow', 'id'], order: 'sequence' },
  attachmentRemoval: { kind: 'attachment removal', by: ['attachment_digest'] },
  environment: { kind: 'environment', by: ['name'] },
  members: { kind: 'environment member', by: ['environment'], order: 'member' },
  policyAttachments: { kind: 'policy attachment', by: ['environment'], order: 'policy' },
  allowedArtifacts: { kind: 'allowed artifact', by: ['environment'], order: 'fingerprint' },
  snapshots: { kind: 'environment report', by: ['environment'], order: 'number' },
  policy: { kind: 'policy', by: ['name'] },
  policyVersions: { kind: 'policy version', by: ['policy'], order: 'version' },
  policyEvents: { kind: 'policy event', by: ['policy'], order: 'sequence' },
  customType: { kind: 'custom type', by: ['name'] },
  customTypeVersions: { kind: 'custom type version', by: ['name'], order: 'version' },
} as const satisfies Record<string, Selection>;

export type SelectionName = keyof typeof selections;

export const findTable = (name: SelectionName): LoggedTable => {
  const table = loggedTables.find(({ kind }) => kind === selections[name].kind);
  if (table === undefined) throw new TypeError(`records of the kind ${selections[name].kind} are not logged`);
  return table;
};

/** The column that orders the rows of a selection; undefined if there is only one row. */
const orderColumn = (name: SelectionName): string | undefined => {
  const selection: Selection = selections[name];
  return selection.order;
};

function selectRecords(name: SelectionName): string {
  const table = findTable(name);
  const order = orderColumn(name);
  const { by }: Selection = selections[name];
  // Keeps the database from using an index on the other columns, which would read all records of the flow.
  const isListed = by.includes('id');
  const conditions = by.map((column, index) =>
    column === 'id'
      ? isAnyOf('t.id', `$${index + 4}`)
      : `t.${toColumn(column)}${isListed ? " || ''" : ''} = $${index + 4}`,
  );
  // `+ 0` keeps the database from using an index in this order, which would read all records of the flow.
  const isIndexed = order !== 'sequence' || name === 'attestationsOfTrail';
  const place = order === undefined ? undefined : `t.${order}${isIndexed ? '' : ' + 0'}`;
  const after = place === undefined ? [] : [`${place} > $${conditions.length + 4}`];
  return `SELECT ${rowColumns(table)}, ${entryColumns},
      CASE WHEN e.sequence IS NULL OR e.kind <> '${table.kind}'
        THEN ${selectFromEntries(table, 'max(l.is_late)', 'AND l.sequence >= $2')} END AS is_late
    FROM ${table.table} t LEFT JOIN log_entries e ON e.org = t.org
      AND e.sequence = ${selectFromEntries(table, 'max(l.sequence)', 'AND l.sequence < $2')}
    WHERE ${['t.org = $1', ...conditions, ...after].join(' AND ')} ${place === undefined ? '' : `ORDER BY ${place}`}
    LIMIT $3`;
}

const names = Object.keys(selections) as readonly SelectionName[];
const records = defineStatements('package', Object.fromEntries(names.map((name) => [name, selectRecords(name)])));

/** Whether a trail has a record of the time span from $4 to before $5. */
const isInSpan = (table: string, column: string): string => `EXISTS (SELECT 1 FROM ${table} r
  WHERE r.org = t.org AND r.flow = t.flow AND r.trail = t.name AND r.${column} >= $4 AND r.${column} < $5)`;

const statements = defineStatements('package_trails', {
  list: `SELECT t.name, CASE WHEN t.created_at >= $4 AND t.created_at < $5
      OR ${isInSpan('attestations', 'created_at')} OR ${isInSpan('artifacts', 'created_at')}
      OR ${isInSpan('trail_updates', 'updated_at')} THEN 1 ELSE 0 END AS is_in_span
    FROM trails t WHERE t.org = $1 AND t.flow = $2 AND t.name > $3 ORDER BY t.name LIMIT 100`,
});

export interface SelectedRow extends LoggedRow {
  /** Whether an upgrade entered it after the checkpoint; undefined if it has no entry after the checkpoint. */
  readonly isEnteredLate: boolean | undefined;
}

/** What records are selected by: the values of the columns, and the size of the log at the checkpoint. */
export interface RecordQuery {
  readonly org: string;
  readonly name: SelectionName;
  readonly key: readonly (string | readonly string[])[];
  readonly size: number;
  readonly limit: number;
  /** Only snapshots with these numbers. */
  readonly numbers?: NumberRange | undefined;
}

/** In Unix seconds; the end is not included. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

export class PackageReader extends Repository {
  /** Rows in their order, after one of them, each with the latest entry that the checkpoint includes. */
  async list(
    { org, name, key, size, limit, numbers = { first: 0, last: Infinity } }: RecordQuery,
    last: SelectedRow | undefined,
  ): Promise<readonly SelectedRow[]> {
    const statement = records[name];
    if (statement === undefined) throw new TypeError(`no statement ${name}`);
    const order = orderColumn(name);
    const place = order === undefined ? [] : [toPlace(order, last, numbers.first)];
    const rows = await this.query(statement, [org, size, limit, ...key, ...place]);
    const isWanted = (row: Row): boolean => order !== 'number' || number(row, order) <= numbers.last;
    return rows.filter(isWanted).map((row) => ({
      ...{ row, entry: toOptionalEntry(row), isEnteredLate: flagOrNull(row, 'is_late') ?? undefined },
    }));
  }

  /** Trails of a flow by name, after one of them, and whether each has records of the time span. */
  listTrails(
    org: string,
    flow: string,
    after: string,
    { start, end }: TimeSpan,
  ): Promise<readonly { readonly name: string; readonly isInSpan: boolean }[]> {
    return this.queryAll(statements.list, [org, flow, after, start, end], toPackagedTrail);
  }
}

const toPackagedTrail = toRecord({ name: text, isInSpan: flag });

function toPlace(order: string, last: SelectedRow | undefined, first: number): Value {
  const isNumber = ['sequence', 'number', 'version'].includes(order);
  if (last === undefined) return isNumber ? first - 1 : '';
  return isNumber ? number(last.row, order) : text(last.row, order);
}
