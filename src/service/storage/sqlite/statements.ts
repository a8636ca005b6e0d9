import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { summaryColumns } from './rows.ts';

const texts = {
  findFlow: 'SELECT * FROM flows WHERE org = ? AND name = ?',
  currentEvidence: `SELECT ${summaryColumns} FROM current_evidence c JOIN attestations a USING (org, flow, sequence)
    WHERE c.org = ? AND c.flow = ? AND c.scope = ?`,
} as const;

/** What judging reads of flows and their attestations, as long as it is done within the adapter. */
export type Statements = Prepared<typeof texts>;

/** Prepares these statements. */
export function prepareStatements(database: DatabaseSync): Statements {
  return prepare(database, texts);
}

/** Statements by their names. */
export type Prepared<Texts> = Readonly<Record<keyof Texts, StatementSync>>;

/** Prepares statements once; a fault in any of them shows at start. */
export function prepare<Texts extends Readonly<Record<string, string>>>(
  database: DatabaseSync,
  statements: Texts,
): Prepared<Texts> {
  const prepared = Object.entries(statements).map(([name, text]) => [name, database.prepare(text)] as const);
  return Object.fromEntries(prepared) as Prepared<Texts>;
}
