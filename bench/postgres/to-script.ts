import type { ClientBase } from 'pg';
import type { PgbenchScript } from './pgbench.ts';
import type { RecordedStatement } from './statement-recorder.ts';

/** How the transactions of a script differ from the recorded one. */
export interface Variation {
  /** The commands of pgbench that set variables for the next transaction. */
  readonly prepare: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Texts within recorded values, and the SQL expressions to use instead. Nothing else may contain them. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Whole values, or the only item of a list, and the SQL expressions to use instead. */
  readonly computed: Readonly<Record<string, string>>;
  /** Words of recorded statements, and commands of pgbench that end them, to read their results. */
  readonly read: Readonly<Record<string, readonly string[]>>;
  /** Added to the keys of locks. */
  readonly lockOffset: string;
}

/** Makes a script for pgbench that sends recorded statements, one after the other. */
export async function toScript(
  client: ClientBase,
  statements: readonly RecordedStatement[],
  variation: Variation,
): Promise<PgbenchScript> {
  const variables: Record<string, string> = { ...variation.variables };
  const lines = [...variation.prepare];
  for (const [index, statement] of statements.entries()) {
    const types = await findTypes(client, statement);
    const expressions = statement.values.map((value, at) => {
      const name = `v${index}_${at}`;
      const type = types[at] ?? 'text';
      if (value === null) return `NULL::${type}`;
      // A variable of pgbench cannot be empty.
      if (value === '') return `''::${type}`;
      const computed = toComputed(value, variation);
      if (computed !== undefined) return `${computed}::${type}`;
      variables[name] = value;
      const used = Object.entries(variation.replaced).filter(([from]) => value.includes(from));
      if (used.length === 0) return `:${name}::${type}`;
      return `${used.reduce((text, [from, to]) => `replace(${text}, '${from}', ${to})`, `:${name}::text`)}::${type}`;
    });
    lines.push(...toCommands(statement, expressions, variation));
  }
  return { text: `${lines.join('\n')}\n`, variables };
}

function toComputed(value: string, { computed }: Variation): string | undefined {
  const expression = computed[value];
  if (expression !== undefined) return `(${expression})`;
  const item = computed[/^\{"([^"]*)"\}$/u.exec(value)?.[1] ?? ''];
  return item === undefined ? undefined : `ARRAY[(${item})::text]`;
}

/** The types that the database infers, because a parameter of pgbench can be used only once. */
async function findTypes(client: ClientBase, { text, values }: RecordedStatement): Promise<readonly string[]> {
  if (values.length === 0) return [];
  await client.query(`PREPARE recorded AS ${text}`);
  const { rows } = await client.query<{ types: readonly string[] }>(
    `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'recorded'`,
  );
  await client.query('DEALLOCATE recorded');
  return rows[0]?.types ?? [];
}

function toCommands(
  { text }: RecordedStatement,
  expressions: readonly string[],
  { read, lockOffset }: Variation,
): readonly string[] {
  const filled = text
    .replaceAll(/\$(\d+)/gu, (_, number: string) => expressions[Number(number) - 1] ?? '')
    .replaceAll(/(pg_advisory_xact_lock\(-?\d+)\)/gu, `$1 + ${lockOffset})`)
    .replaceAll(/\s+/gu, ' ');
  const [, after = []] = Object.entries(read).find(([word]) => text.includes(word)) ?? [];
  const [gset, ...rest] = after;
  // The protocol of prepared statements has one statement in a message.
  const commands = filled.split(';').map((command) => command.trim());
  return [
    ...commands
      .filter((command) => command !== '')
      .map((command) => `${command}${gset === undefined ? ';' : ` ${gset}`}`),
    ...rest,
  ];
}
