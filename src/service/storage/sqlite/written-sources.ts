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
      [
        ...Object.entries(watchedTables).flatMap(([table, columns]) => createTriggers({ table, columns })),
        // `hasPolicies` is cached as a source of `environment_policies`, and depends on this column, too.
        ...createTriggers({
          ...{ table: 'environments', column: 'requires_provenance' },
          ...{ source: 'environment_policies', columns: ['org'] },
        }),
      ].join('\n'),
    );
  }

  /** Adds a listener, which is called for every written row of a watched table. */
  onWrite(listener: (source: Source) => void): void {
    this.#listeners.push(listener);
  }
}

interface WatchedRows {
  readonly table: string;
  /** The column that matters in an update; undefined for all. */
  readonly column?: string;
  /** The table that the source is named after; undefined for the same. */
  readonly source?: string;
  /** The columns that identify the source. */
  readonly columns: readonly string[];
}

function createTriggers({ table, column, source = table, columns }: WatchedRows): readonly string[] {
  const notify = (row: 'OLD' | 'NEW'): string => {
    const written = [`'${source}'`, ...columns.map((name) => `${row}.${name}`)].join(
      ` || char(${sourceSeparator.charCodeAt(0)}) || `,
    );
    return `SELECT source_written(${written});`;
  };
  const trigger = (event: 'insert' | 'update' | 'delete', body: string): string => {
    const of = event === 'update' && column !== undefined ? ` OF ${column}` : '';
    return `CREATE TEMP TRIGGER ${table}_${source}_${event} AFTER ${event}${of} ON main.${table} BEGIN ${body} END;`;
  };
  return [
    trigger('insert', notify('NEW')),
    trigger('update', notify('OLD') + notify('NEW')),
    trigger('delete', notify('OLD')),
  ];
}
