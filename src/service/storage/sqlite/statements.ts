import type { DatabaseSync, StatementSync } from 'node:sqlite';

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
