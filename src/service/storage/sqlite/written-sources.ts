import type { DatabaseSync } from 'node:sqlite';
import { sourceSeparator, watchedTables, type Source } from '../sources.ts';

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
      Object.entries(watchedTables)
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
    const source = [`'${table}'`, ...columns.map((column) => `${row}.${column}`)].join(
      ` || char(${sourceSeparator.charCodeAt(0)}) || `,
    );
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
