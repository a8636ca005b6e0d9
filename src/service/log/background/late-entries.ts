import { unixSeconds, type After, type Now } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { WakingLoop } from '../../platform/background/waking-loop.ts';
import { toNewEntry, type LoggedRow } from '../log-records.ts';
import { batchSize, loggedTables, type LoggedTable } from '../logged-table.ts';

interface Dependencies {
  readonly storage: Storage;
  readonly now: Now;
  readonly after: After;
  readonly randomBytes: RandomBytes;
  readonly log: ServiceLog;
}

/** How often progress is logged, in rows. */
const progressRows = 10_000;

/** How long to wait after a failure, and at most if there is nothing to do, in milliseconds. */
const retryDelay = 30_000;
const idleDelay = 3_600_000;

/**
 * After an upgrade, enters records that are older than the log, in small transactions. A stop interrupts this, and the next
 * start continues: a record that has an entry does not get another one.
 */
export class LateEntries {
  readonly #dependencies: Dependencies;
  readonly #loop: WakingLoop;
  #isStopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    const { after } = dependencies;
    // Only an upgrade leaves work, so commits do not wake it.
    this.#loop = new WakingLoop({ after, storage: { onCommit: () => undefined } }, () => this.#enterAll());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
  }

  async #enterAll(): Promise<number> {
    const { storage, log } = this.#dependencies;
    try {
      for (;;) {
        const unfinished = await storage.read((records) => records.log.findUnfinished());
        if (unfinished === undefined || this.#isStopped) return idleDelay;
        const table = loggedTables.find(({ kind }) => kind === unfinished.kind);
        // A later version of the service left it.
        if (table === undefined) return idleDelay;
        await this.#enterTable(unfinished.org, table);
      }
    } catch (error) {
      log.error('records that are older than the transparency log could not be entered in it; trying again', error);
      return retryDelay;
    }
  }

  async #enterTable(org: string, table: LoggedTable): Promise<void> {
    const { log } = this.#dependencies;
    let last: LoggedRow | undefined;
    for (let read = 0; !this.#isStopped;) {
      const rows = await this.#enterBatch(org, table, last);
      last = rows.at(-1);
      const before = read;
      read += rows.length;
      const isDone = last === undefined;
      if (isDone ? read > 0 : Math.floor(read / progressRows) > Math.floor(before / progressRows))
        log.info(`transparency log of ${org}: entered ${isDone ? 'all' : 'the first'} ${read} of kind '${table.kind}'`);
      if (isDone) return;
    }
  }

  /** Returns the rows that were read. */
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
