/** A value that is sent to the database. */
export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly (number | null)[];

/** A statement that each connection prepares once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Statements by name. */
export type Statements<Texts> = Readonly<Record<keyof Texts, Statement>>;

/**
 * Names statements, so that connections prepare them.
 *
 * @param group the first part of their names; no other statement may have the same group and name
 */
export function defineStatements<Texts extends Readonly<Record<string, string>>>(
  group: string,
  texts: Texts,
): Statements<Texts> {
  const statements = Object.entries(texts).map(([name, text]) => [name, { name: `${group}.${name}`, text }] as const);
  return Object.fromEntries(statements) as Statements<Texts>;
}
