import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../../runtime/untrusted-data.ts';
import { digestDocument, type LogEntry } from './entry.ts';
import { type LoggedTable, type RecordKey, toDocument, toRecordKey } from './logged-table.ts';

type Row = Readonly<Record<string, unknown>>;

/** A rename of a flow or an environment, as an entry of the log. */
export interface Rename {
  readonly sequence: number;
  readonly kind: 'flow' | 'environment';
  readonly former: string;
  readonly name: string;
}

/** Reads the document of a rename; empty if it was altered. */
export function parseRename({
  sequence,
  document,
}: {
  readonly sequence: number;
  readonly document: string;
}): readonly Rename[] {
  const [, kind, former, name] =
    /^\{"kind":"(flow|environment)","former":"([^"\\]*)","name":"([^"\\]*)"\}$/u.exec(document) ?? [];
  if (kind === undefined || former === undefined || name === undefined) return [];
  return [{ sequence, kind: kind === 'flow' ? kind : 'environment', former, name }];
}

/** The row with the names before a rename, which replaces them in all records (`RenameWriter`). */
function undoRename(table: LoggedTable, row: Row, { kind, former, name }: Rename): Row {
  const columns = kind === 'flow' ? ['flow', table.flow] : ['environment', 'member', table.environment];
  const fields = kind === 'flow' ? ['flow'] : ['member', 'environment'];
  const quoted = (table.quotedNames ?? []).flatMap((column) => {
    const json = row[column];
    if (typeof json !== 'string') return [];
    if (column === 'counts_for') return kind === 'flow' ? [] : [[column, json.replaceAll(`"${name}"`, `"${former}"`)]];
    const restored = fields.reduce(
      (all, field) => all.replaceAll(`"${field}":"${name}"`, `"${field}":"${former}"`),
      json,
    );
    return [[column, restored]];
  });
  const own = columns.flatMap((column) => (column !== undefined && row[column] === name ? [[column, former]] : []));
  return { ...row, ...Object.fromEntries([...quoted, ...own]) } as Row;
}

/** The row with the names after a rename. */
const redoRename = (table: LoggedTable, row: Row, { former, name, ...rename }: Rename): Row =>
  undoRename(table, row, { ...rename, former: name, name: former });

/** Which record a document of the log is about, by the names after the later renames. */
export function findRenamedKey(
  table: LoggedTable,
  { sequence, document }: { readonly sequence: number; readonly document: string },
  renames: readonly Rename[],
): RecordKey {
  const row = parseDocument(document);
  const later = renames.filter((rename) => rename.sequence > sequence);
  return toRecordKey(
    table,
    later.reduceRight((known, rename) => redoRename(table, known, rename), row),
  );
}

/** Empty if it is not a JSON object, and so not from the service. */
function parseDocument(document: string): Row {
  try {
    const row: unknown = JSON.parse(document);
    return isMapping(row) ? row : {};
  } catch {
    return {};
  }
}

/** The document of a row as it was recorded, before later renames; undefined if the row was altered. */
export function findRecordedDocument(
  table: LoggedTable,
  row: Row,
  { sequence, random, documentDigest }: Pick<LogEntry, 'sequence' | 'documentDigest'> & { readonly random: Uint8Array },
  renames: readonly Rename[],
): string | undefined {
  const later = renames.filter((rename) => rename.sequence > sequence);
  const before = later.reduce((known, rename) => undoRename(table, known, rename), row);
  // A rename replaces the name in all records, so a record that still has the former name was moved.
  const after = later.reduceRight((known, rename) => redoRename(table, known, rename), before);
  if (!isDeepStrictEqual(toRecordKey(table, after), toRecordKey(table, row))) return undefined;
  // A rename does not replace the names in the content of all environments, and a record can name a later environment.
  const unchanged = (table.quotedNames ?? []).map((column) => ({ ...before, [column]: row[column] }));
  const candidates = [before, ...unchanged];
  return candidates
    .map((each) => toDocument(table, each))
    .find((document) => digestDocument(random, document) === documentDigest);
}
