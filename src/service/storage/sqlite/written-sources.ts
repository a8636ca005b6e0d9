import type { DatabaseSync } from 'node:sqlite';

/** The tables that cached values are read from. The columns identify a source: the rows that are read together. */
const watched = {
  flows: ['org', 'name'],
  trail_templates: ['org', 'flow', 'trail'],
  artifacts: ['org', 'fingerprint'],
  bindings: ['org', 'flow', 'scope'],
  appearances: ['org', 'fingerprint'],
  environments: ['org', 'name'],
  members: ['org', 'user'],
  service_accounts: ['org', 'name'],
  api_keys: ['id'],
} as const;

/** A key for the rows of a table that are read together. */
export type Source = string;

// Names contain no line break, so the keys are unambiguous.
const separator = '\n';

/** Returns the source of the rows with these values in the columns of `watched`. */
export function toSource<Table extends keyof typeof watched>(
  table: Table,
  ...values: Readonly<Record<keyof (typeof watched)[Table] & `${number}`, string>> & readonly string[]
): Source {
  let source: Source = table;
  for (const value of values) source += separator + value;
  return source;
}

/**
 * Reports every write to a watched table. Triggers on this connection detect the writes, so that none is missed,
 * no matter which code makes it. Listeners are called before the commit, also for writes that are rolled back later.
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

  /** Adds a listener, which is called for every written row of a watched table. */
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
