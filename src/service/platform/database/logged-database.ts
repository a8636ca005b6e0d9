import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import { LogWriter, type NewEntry, toNewEntry } from '../../log/log-records.ts';
import type { Database, Statement, StatementResult, Value } from './database.ts';
import type { Row } from './rows.ts';

/** The sources of the time and the random bytes of an entry. */
export interface EntrySources {
  readonly now: Now;
  readonly randomBytes: RandomBytes;
}

interface Written {
  readonly statement: Statement;
  readonly row: Row;
}

/**
 * The statements of a transaction that writes. All records of logged tables that they write become entries of the log,
 * in the order of the statements.
 */
export class LoggedDatabase implements Database {
  readonly #database: Database;
  readonly #sources: EntrySources;
  readonly #written: Written[][] = [];

  constructor(database: Database, sources: EntrySources) {
    this.#database = database;
    this.#sources = sources;
  }

  async execute(statement: Statement, values: readonly Value[]): Promise<StatementResult> {
    if (statement.logged === undefined) return this.#database.execute(statement, values);
    // Keeps the order in which the statements were called, although they may run at the same time.
    const written: Written[] = [];
    this.#written.push(written);
    const result = await this.#database.execute(statement, values);
    written.push(...result.rows.map((row) => ({ statement, row })));
    return result;
  }

  /** Appends the entries of the written records, at the end of the transaction. */
  async appendEntries(): Promise<void> {
    const { now, randomBytes } = this.#sources;
    const at = unixSeconds(now());
    const entries = this.#written
      .flat()
      .flatMap(({ statement: { logged }, row }): readonly NewEntry[] =>
        logged === undefined ? [] : [toNewEntry(logged, row, { at, random: randomBytes(16) })],
      );
    const log = new LogWriter(this.#database);
    for (const [org, added] of Map.groupBy(entries, (entry) => entry.org)) await log.append(org, added);
  }
}
