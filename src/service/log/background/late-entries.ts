import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import { WakingLoop, type WakingLoopDependencies } from '../../platform/background/waking-loop.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { type LoggedRow, toNewEntry } from '../log-records.ts';
import { batchSize, type LoggedTable, loggedTables } from '../logged-table.ts';

interface Dependencies extends WakingLoopDependencies {
  readonly storage: Storage;
  readonly now: Now;
  readonly randomBytes: RandomBytes;
}

/** How often progress is logged, in rows. */
const progressRows = 10_000;

/** How long to wait if there is nothing to do, in milliseconds. Only an upgrade leaves work. */
const idleDelay = 3_600_000;

/**
 * After an upgrade, enters records that are older than the log, in small transactions. A stop interrupts this, and the next
 * start continues it: a record that has an entry does not get another one.
 */
export class LateEntries {
  readonly #dependencies: Dependencies;
  readonly #loop: WakingLoop;
  /** The table whose records are being entered, the last row that was read, and how many were. */
  #current: { org: string; kind: string; last: LoggedRow | undefined; read: number } | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#loop = new WakingLoop(
      { ...dependencies, storage: undefined },
      {
        look: () => this.#enterSome(),
        failure: 'records that are older than the transparency log could not be entered in it; trying again',
      },
    );
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #enterSome(): Promise<number | 'more'> {
    const { storage, log } = this.#dependencies;
    const unfinished = await storage.read((records) => records.log.findUnfinished());
    const table = loggedTables.find(({ kind }) => kind === unfinished?.kind);
    // A later version of the service left it.
    if (unfinished === undefined || table === undefined) return idleDelay;
    const { org, kind } = unfinished;
    const isSame = this.#current?.org === org && this.#current.kind === kind;
    const { last, read: before } = (isSame ? this.#current : undefined) ?? { last: undefined, read: 0 };
    const rows = await this.#enterBatch(org, table, last);
    const read = before + rows.length;
    this.#current = { org, kind, last: rows.at(-1), read };
    const isDone = rows.length === 0;
    if (isDone ? read > 0 : Math.floor(read / progressRows) > Math.floor(before / progressRows))
      log.info(`transparency log of ${org}: entered ${isDone ? 'all' : 'the first'} ${read} of kind '${kind}'`);
    return 'more';
  }

  #enterBatch(org: string, table: LoggedTable, last: LoggedRow | undefined): Promise<readonly LoggedRow[]> {
    const { storage, now, randomBytes } = this.#dependencies;
    return storage.transaction(
      org,
      async ({ log }) => {
        const rows = await log.listRows(table, org, last?.row, batchSize(table));
        const at = unixSeconds(now());
        const missing = rows.filter(({ entry }) => entry === undefined);
        const write = { table, isRemoval: false };
        const entries = missing.map(({ row }) => toNewEntry(write, row, { at, random: randomBytes(16), isLate: true }));
        if (entries.length > 0) await log.append(org, entries);
        if (rows.length === 0) await log.finish(org, table.kind);
        return rows;
      },
      { mayExceedQuotas: true },
    );
  }
}
