import type { Client, ClientBase } from 'pg';
import { storageError } from '../storage-faults.ts';
import { SlotVersions, type Slots } from '../sources.ts';
import type { Connections } from './connections.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { defineStatements } from './statements.ts';

// A transaction is visible to a snapshot if it was committed before. Those with an id below the snapshot's xmin have
// all ended, so later snapshots see no other changes of theirs.
const statements = defineStatements('changes', {
  find: `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xmin, s.forgotten_before::text, w.xid::text, w.slots
    FROM written_sources_state s
    LEFT JOIN written_sources w ON w.xid >= coalesce($1::xid8, pg_snapshot_xmin(pg_current_snapshot()))`,
  forget: 'DELETE FROM written_sources WHERE xid < $1::xid8',
  recordForgotten:
    'UPDATE written_sources_state SET forgotten_before = $1::xid8 WHERE forgotten_before < $1::xid8 RETURNING 1',
  // A snapshot sees no change of a transaction that began after it, so these rows come from another server.
  removeForeign: 'DELETE FROM written_sources WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())',
  resetForgotten: `UPDATE written_sources_state SET forgotten_before = pg_snapshot_xmin(pg_current_snapshot())
    WHERE forgotten_before > pg_snapshot_xmax(pg_current_snapshot())`,
});

/** After how many changes since the last refresh the next one is due: every transaction reads these changes again. */
const maximumRepeatedChanges = 100;

interface ChangeRow {
  readonly xmin: string;
  readonly forgotten_before: string;
  readonly xid: string | null;
  readonly slots: readonly number[] | null;
}

/**
 * Knows what all processes have committed: for each source, whether it was written since a value was cached. Cached
 * values may be used only after `refresh`, because other processes write, too.
 */
export class ChangeLog {
  readonly #connections: Pick<Connections, 'acquire' | 'open'>;
  readonly #versions = new SlotVersions();
  /** All changes of transactions before this one are known. Undefined until the first refresh of a connection. */
  #since: bigint | undefined;
  /** The known changes of later transactions. */
  #known = new Set<string>();
  #client: Promise<Client> | undefined;
  #running: Promise<void> | undefined;
  /** The refresh that has not begun. It begins when the running one has ended. */
  #next: Promise<void> | undefined;

  constructor(connections: Pick<Connections, 'acquire' | 'open'>) {
    this.#connections = connections;
  }

  /** The number of changes that are known so far. */
  get latest(): number {
    return this.#versions.latest;
  }

  /** The latest known change of any of the slots. */
  findLastWrite(slots: Slots): number {
    return this.#versions.findLastWrite(slots);
  }

  /**
   * Learns of all changes that were committed before the call. Calls at the same time share a query.
   *
   * @throws StorageError if the database cannot be asked.
   */
  refresh(): Promise<void> {
    return (this.#next ??= this.#refreshNext());
  }

  async #refreshNext(): Promise<void> {
    await this.#running?.catch(() => undefined);
    // Everything that has arrived is handled first: what calls meanwhile shares the query.
    await new Promise((resolve) => setImmediate(resolve));
    this.#next = undefined;
    this.#running = this.#run();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      const connecting = this.#connect();
      await this.#learn(await connecting, () => this.#client === connecting);
    } catch (error) {
      this.#disconnect();
      throw translatePostgresError(error);
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * Learns of all changes that the current snapshot of a connection sees. In a transaction, those are the changes that
   * its reads see.
   */
  async learnIn(client: ClientBase): Promise<void> {
    const since = this.#since;
    const rows = await findChanges(client, since);
    if (since === undefined || isIncomplete(rows, since)) this.#versions.recordAll();
    else for (const row of rows) this.#apply(row);
    // Transactions of background work do not refresh by themselves.
    if (since !== undefined && rows.length > maximumRepeatedChanges) this.refresh().catch(() => undefined);
  }

  /**
   * @param isConnected whether the connection still exists; the answer of a lost one says nothing about the next one
   */
  async #learn(client: Client, isConnected: () => boolean): Promise<void> {
    const since = this.#since;
    const rows = await findChanges(client, since);
    if (!isConnected()) throw storageError('unreachable');
    const [first] = rows;
    if (first === undefined) throw new TypeError('the database has no state of its change log');
    if (since === undefined || isIncomplete(rows, since)) {
      this.#versions.recordAll();
      this.#known = new Set(rows.flatMap(({ xid }) => xid ?? []));
    } else {
      for (const row of rows) this.#apply(row);
    }
    this.#moveTo(BigInt(first.xmin));
  }

  #apply({ xid, slots }: ChangeRow): void {
    if (xid === null || slots === null || this.#known.has(xid)) return;
    this.#known.add(xid);
    this.#versions.record(slots);
  }

  #moveTo(xmin: bigint): void {
    if (this.#since === xmin) return;
    this.#since = xmin;
    for (const xid of this.#known) if (BigInt(xid) < xmin) this.#known.delete(xid);
  }

  /**
   * Deletes the changes that were known a while ago.
   *
   * @param before a result of `position` of that time
   */
  async forget(before: bigint): Promise<void> {
    const client = await this.#connections.acquire();
    try {
      // First the mark: a process that misses a deleted change must see that it does.
      await client.query({ ...statements.recordForgotten, values: [String(before)] });
      await client.query({ ...statements.forget, values: [String(before)] });
      client.release();
    } catch (error) {
      client.release(true);
      throw translatePostgresError(error);
    }
  }

  /** The position up to which all changes are known; undefined before the first refresh. */
  get position(): bigint | undefined {
    return this.#since;
  }

  /** After a connection was lost, the database may be another one, in which known changes never happened. */
  #connect(): Promise<Client> {
    this.#client ??= this.#connections.open().then((client) => {
      client.on('error', () => {
        this.#disconnect();
      });
      return client;
    });
    return this.#client;
  }

  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#since = undefined;
    this.#known.clear();
    client?.then((open) => open.end()).catch(() => undefined);
  }

  /** Closes its connection. */
  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#running?.catch(() => undefined);
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.end();
  }
}

/**
 * Removes what a restored dump has of the change log of its former server: ids that this server has not given to a
 * transaction yet. Otherwise the transaction that gets such an id could not record its changes.
 */
export async function removeForeignChanges(client: ClientBase): Promise<void> {
  await client.query({ ...statements.removeForeign });
  await client.query({ ...statements.resetForgotten });
}

/** The visible changes of this transaction and later ones; at least one row, which may have no change. */
async function findChanges(client: ClientBase, since: bigint | undefined): Promise<readonly ChangeRow[]> {
  const { rows } = await client.query<ChangeRow>({
    ...statements.find,
    values: [since === undefined ? null : String(since)],
  });
  return rows;
}

/** Whether the changes since then lack some that were deleted. */
function isIncomplete([first]: readonly ChangeRow[], since: bigint): boolean {
  return first !== undefined && BigInt(first.forgotten_before) > since;
}
