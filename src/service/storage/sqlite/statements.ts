import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Prepared statements by name. */
export type Prepared<Texts> = Readonly<Record<keyof Texts, StatementSync>>;

/** Prepares statements once, so that an invalid one fails at start. */
export function prepare<Texts extends Readonly<Record<string, string>>>(
  database: DatabaseSync,
  statements: Texts,
): Prepared<Texts> {
  const prepared = Object.entries(statements).map(([name, text]) => [name, database.prepare(text)] as const);
  return Object.fromEntries(prepared) as Prepared<Texts>;
}
