/** The tables whose records become entries of their organization's log. */

/** How the rows of a table become entries. */
export interface LoggedTable {
  readonly table: string;
  readonly kind: string;
  /** The column with the name of a flow or an environment that is part of the key. */
  readonly flow?: string;
  readonly environment?: string;
  /** The other columns of the key, of which only one can contain a slash. */
  readonly key: readonly string[];
  /** The columns of the primary key, if they are not those above. */
  readonly order?: readonly string[];
  /** The columns of the document. New ones must be null in existing rows. */
  readonly columns: readonly string[];
  /** Columns with JSON in which renames replace the names of flows or environments. */
  readonly quotedNames?: readonly string[];
  /** Whether the log keeps the documents, because rows are changed or removed. */
  readonly keepsDocuments?: boolean;
  /** Whether rows are changed, although the log does not keep the documents. */
  readonly isRewritten?: boolean;
  /** The only statement that makes entries. By default, each that writes the columns does. */
  readonly statement?: string;
  /** Whether rows can be changed or removed without an entry. */
  readonly isTransient?: boolean;
}

const mutable = { keepsDocuments: true };
const created = ['created_at', 'created_by'];

export const loggedTables: readonly LoggedTable[] = [
  {
    ...{ ...mutable, table: 'flows', kind: 'flow', flow: 'name', key: [] },
    columns: ['name', 'description', 'visibility', 'template', 'repo_url', 'created_at', 'tags', 'archived_at'],
  },
  {
    ...{ ...mutable, table: 'trails', kind: 'trail', flow: 'flow', key: ['name'] },
    columns: ['flow', 'name', 'created_at', 'last_modified_at', 'report', 'begun_at', 'counts'],
  },
  {
    ...{ ...mutable, table: 'trail_templates', kind: 'trail template', flow: 'flow', key: ['trail'] },
    columns: ['flow', 'trail', 'template'],
  },
  {
    ...{ table: 'trail_updates', kind: 'trail update', flow: 'flow', key: ['trail', 'sequence'] },
    columns: ['flow', 'trail', 'sequence', 'updated_at', 'commit_sha', 'commit_url'],
  },
  {
    ...{ table: 'artifacts', kind: 'artifact', flow: 'flow', key: ['fingerprint', 'id'], quotedNames: ['counts_for'] },
    order: ['flow', 'sequence'],
    columns: [
      ...['flow', 'sequence', 'trail', 'id', 'fingerprint', 'created_at', 'reported_by', 'report', 'counts_for'],
      ...['recorders', 'idempotency_key', 'request_digest'],
    ],
  },
  {
    ...{ table: 'attestations', kind: 'attestation', flow: 'flow', key: ['id'], quotedNames: ['counts_for'] },
    order: ['flow', 'sequence'],
    columns: [
      ...['flow', 'sequence', 'trail', 'id', 'name', 'type', 'verdict', 'reason', 'faults', 'facts', 'created_at'],
      ...['reported_by', 'counts_for', 'recorders', 'attachment_filename', 'attachment_digest', 'attachment_size'],
      ...['document', 'idempotency_key', 'request_digest'],
    ],
  },
  {
    ...{ table: 'removed_attachments', kind: 'attachment removal', key: ['attachment_digest'] },
    columns: ['attachment_digest', 'removed_at', 'removed_by', 'reason'],
  },
  {
    ...{ ...mutable, table: 'environments', kind: 'environment', environment: 'name', key: [] },
    columns: ['name', 'kind', 'description', 'requires_provenance', 'created_at', 'tags', 'archived_at'],
  },
  {
    ...{ ...mutable, table: 'environment_members', kind: 'environment member', environment: 'environment' },
    ...{ key: ['member'], columns: ['environment', 'member'] },
  },
  {
    ...{ ...mutable, table: 'environment_policies', kind: 'policy attachment', environment: 'environment' },
    ...{ key: ['policy'], columns: ['environment', 'policy'] },
  },
  {
    ...{
      isRewritten: true,
      table: 'snapshots',
      kind: 'environment report',
      environment: 'environment',
      key: ['number'],
    },
    columns: ['environment', 'number', 'made_at', 'compliant', 'judgement', 'content'],
    quotedNames: ['judgement', 'content'],
  },
  {
    ...{ ...mutable, table: 'allowed_artifacts', kind: 'allowed artifact', environment: 'environment' },
    ...{ key: ['fingerprint'], columns: ['environment', 'fingerprint', 'name', 'reason', 'allowed_by', 'allowed_at'] },
  },
  {
    ...{ ...mutable, table: 'policies', kind: 'policy', key: ['name'] },
    columns: ['name', 'description', 'latest', 'created_at', 'created_by', 'archived_at'],
  },
  {
    ...{ table: 'policy_versions', kind: 'policy version', key: ['policy', 'version'] },
    columns: [
      ...['policy', 'version', 'comment', 'created_at', 'created_by', 'rules', 'text', 'idempotency_key'],
      ...['request_digest', 'answered_description', 'answered_environments'],
    ],
  },
  {
    ...{ table: 'policy_events', kind: 'policy event', key: ['policy', 'sequence'] },
    columns: ['policy', 'sequence', 'type', 'timestamp', 'user', 'version', 'environment'],
  },
  {
    ...{ ...mutable, table: 'custom_types', kind: 'custom type', key: ['name'] },
    columns: ['name', 'description', 'archived'],
  },
  {
    ...{ table: 'custom_type_versions', kind: 'custom type version', key: ['name', 'version'] },
    columns: ['name', 'version', 'definition', ...created],
  },
  {
    ...{ ...mutable, table: 'members', kind: 'member', key: ['user'] },
    columns: ['user', 'role', 'created_at'],
  },
  {
    ...{ ...mutable, table: 'service_accounts', kind: 'service account', key: ['name'] },
    columns: ['name', 'display_name', 'privilege', 'description', ...created, 'for_webhook'],
  },
  {
    ...{ ...mutable, table: 'login_rules', kind: 'login rule', key: ['name'] },
    columns: ['name', 'conditions', ...created, 'last_modified_at'],
  },
  {
    ...{ ...mutable, table: 'github_gates', kind: 'github gate', key: ['name'] },
    columns: ['name', 'document', ...created, 'last_modified_at'],
  },
  {
    ...{ ...mutable, isTransient: true, table: 'github_answers', kind: 'github answer', key: ['number'] },
    statement: 'github_answers.recordSent',
    columns: [
      ...['number', 'repository_id', 'repository', 'sha', 'run_id', 'github_environment', 'deployment_id'],
      ...['requested_at', 'requests', 'check_run_id', 'sent', 'answered_at'],
    ],
  },
  {
    ...{ ...mutable, isTransient: true, table: 'former_names', kind: 'rename', key: ['kind', 'former'] },
    statement: 'rename.saveFormer',
    columns: ['kind', 'former', 'name'],
  },
  {
    ...{ table: 'audit_events', kind: 'audit event', key: ['number'] },
    columns: ['number', 'type', 'recorded_at', 'actor', 'subject', 'details'],
  },
];

/** The suffix of the kind of an entry if the record was removed. */
export const removed = ' removed';

/** A column in a statement; `user` is a reserved word of SQL. */
export const toColumn = (name: string): string => (name === 'user' ? '"user"' : name);

/** The columns that identify a record in the log. */
export interface RecordKey {
  readonly flow: string;
  readonly environment: string;
  readonly record: string;
}

type Row = Readonly<Record<string, unknown>>;

/** The key in the log of the record in a row. */
export function toRecordKey({ flow, environment, key }: LoggedTable, row: Row): RecordKey {
  const valueOf = (column: string | undefined): string => (column === undefined ? '' : String(row[column]));
  return { flow: valueOf(flow), environment: valueOf(environment), record: key.map(valueOf).join('/') };
}

/** The document of a row: JSON with the columns that are not null. */
export function toDocument({ columns }: LoggedTable, row: Row): string {
  const values = columns.map((column) => [column, row[column] ?? undefined] as const);
  return JSON.stringify(Object.fromEntries(values));
}

/** A write of a statement that becomes entries. */
export interface LoggedWrite {
  readonly table: LoggedTable;
  readonly isRemoval: boolean;
}

const write = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/u;

/** What a statement writes to the log; undefined if it changes no document of a logged table. */
export function findLoggedWrite(name: string, text: string): LoggedWrite | undefined {
  const table = loggedTables.find((logged) => logged.table === write.exec(text)?.[1]);
  // Names in documents change with renames; the entry of a rename tells how.
  if (table === undefined || (table.statement ?? name) !== name || /^rename_|^rename\.replace/u.test(name))
    return undefined;
  const [, set] = /^\s*UPDATE\s+\w+\s+SET\s([^]*?)(?:\sWHERE\s|$)/u.exec(text) ?? [];
  const isOther = set !== undefined && !table.columns.some((column) => new RegExp(`\\b${column}\\s*=`, 'u').test(set));
  return isOther ? undefined : { table, isRemoval: /^\s*DELETE/u.test(text) };
}

/** How many rows of a table are read at once. Snapshots have megabytes. */
export const batchSize = ({ table }: LoggedTable): number => (table === 'snapshots' ? 10 : 250);
