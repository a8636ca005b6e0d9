import type { DatabaseSync } from 'node:sqlite';

/** What is kept in memory is read from these tables; the columns name the rows that are read together. */
const watched = {
  flows: ['org', 'name'],
  artifacts: ['org', 'fingerprint'],
  bindings: ['org', 'flow', 'scope'],
  appearances: ['org', 'fingerprint'],
  environments: ['org', 'name'],
  members: ['org', 'user'],
  service_accounts: ['org', 'name'],
  api_keys: ['id'],
} as const;

/** Rows of a table that are read together, as one text. */
export type Source = string;

// No name that the service takes holds a line break, so these texts cannot run into each other.
const separator = '\n';

/** The rows of a table that have these values in the columns that `watched` names. */
export function toSource<Table extends keyof typeof watched>(
  table: Table,
  ...values: Readonly<Record<keyof (typeof watched)[Table] & `${number}`, string>> & readonly string[]
): Source {
  let source: Source = table;
  for (const value of values) source += separator + value;
  return source;
}

/**
 * Tells what is written. The database itself says it, by triggers of this connection, so that no write can be forgotten,
 * whichever part of the storage makes it. It is told before the commit, and a write that is rolled back is told as well.
 */
export class WrittenSources {
  readonly #listeners: ((source: Source) => void)[] = [];

  constructor(database: DatabaseSync) {
    database.function('source_written', (source) => {
      for (const listener of this.#listeners) listener(String(source));
      return null;
    });
    database.exec(
      Object.entries(watched)
        .flatMap(([table, columns]) => createTriggers(table, columns))
        .join('\n'),
    );
  }

  /** Calls the listener for every write of a watched row. */
  onWrite(listener: (source: Source) => void): void {
    this.#listeners.push(listener);
  }
}

function createTriggers(table: string, columns: readonly string[]): readonly string[] {
  const notify = (row: 'OLD' | 'NEW'): string => {
    const source = [`'${table}'`, ...columns.map((column) => `${row}.${column}`)].join(` || char(10) || `);
    return `SELECT source_written(${source});`;
  };
  const trigger = (event: string, body: string): string =>
    `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON main.${table} BEGIN ${body} END;`;
  return [
    trigger('insert', notify('NEW')),
    trigger('update', notify('OLD') + notify('NEW')),
    trigger('delete', notify('OLD')),
  ];
}
