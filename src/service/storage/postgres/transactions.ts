import type { PoolClient } from 'pg';
import { UncertainWriteError } from '../storage-error.ts';
import { concurrent, type TransactionScope, type WriteTransaction } from '../storage.ts';
import { storageError } from '../storage-faults.ts';
import type { ChangeLog } from './change-log.ts';
import { UnconfirmedCommitError, type CommitWatch } from './commit-watch.ts';
import type { Connections } from './connections.ts';
import { lockStatement, shareAllOrganizations, toLockKey } from './organization-locks.ts';
import { isConflict, isConnectionLost, isDatabaseError, isSlow } from './postgres-errors.ts';
import { WriteSession, type WritingSession } from './session.ts';
import { defineStatements } from './statements.ts';

const statements = defineStatements('transactions', {
  // Locks are taken only if they are free: nobody waits for an organization because of another one.
  tryLocks: `SELECT pg_current_xact_id()::text AS xid, ARRAY(
      SELECT place::integer FROM unnest($1::bigint[]) WITH ORDINALITY AS o (key, place)
      WHERE pg_try_advisory_xact_lock(key)
    ) AS places`,
  record: 'INSERT INTO written_sources (xid, slots, token) VALUES (pg_current_xact_id(), $1::integer[], $2)',
  isRecorded: 'SELECT 1 FROM written_sources WHERE xid = $1::xid8 AND token = $2',
  probe: 'UPDATE probes SET probed_at = now()',
});

/** How many times a transaction is run at most, if it conflicts with others. */
const maximumAttempts = 6;
/** How long the outcome of a lost commit is asked for, and how long to wait in between, in milliseconds. */
const outcomeMilliseconds = 10_000;
const outcomeDelay = 500;

/** The dependencies of `Transactions`. */
export interface TransactionDependencies {
  readonly connections: Connections;
  readonly changes: ChangeLog;
  readonly commits: CommitWatch;
  /** Creates the repositories of a transaction. */
  readonly createTransaction: (session: WritingSession) => WriteTransaction;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** A text that no other transaction has. */
  readonly newToken: () => string;
}

/** Several organizations, of which a transaction locks those that are free. */
export type Organizations = readonly string[];

/**
 * The work of a transaction. Returns undefined if there is nothing to commit.
 *
 * @param locked the organizations that it has locked, if it was to lock several
 */
export type TransactionWork<Result> = (
  transaction: WriteTransaction,
  locked: ReadonlySet<string>,
) => Promise<Result | undefined>;

/** Runs transactions that write, with locks that all processes respect. */
export class Transactions {
  readonly #dependencies: TransactionDependencies;

  constructor(dependencies: TransactionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Runs a transaction, again after conflicts.
   *
   * @throws FailedTransactionError if its parts would fail, too, or may be committed
   */
  async run<Result>(
    scope: TransactionScope | Organizations,
    work: TransactionWork<Result>,
  ): Promise<Result | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(scope, work);
      } catch (error) {
        if (!isConflict(error) || attempt === maximumAttempts) throw error;
      }
    }
  }

  async #attempt<Result>(
    scope: TransactionScope | Organizations,
    work: TransactionWork<Result>,
  ): Promise<Result | undefined> {
    const { changes, createTransaction } = this.#dependencies;
    const { client, xid, locked } = await this.#begin(scope);
    const session = new WriteSession(client, changes);
    let isOpen = true;
    let isReusable = false;
    try {
      const result = await work(createTransaction(session), new Set(locked));
      isOpen = false;
      if (result === undefined) await rollBack(client, session);
      else await this.#commit(client, session, { scope: toScope(scope, locked), xid });
      isReusable = true;
      return result;
    } catch (error) {
      session.end();
      if (!isOpen) throw error;
      // Statements that were sent before may fail until the answer to the ROLLBACK.
      isReusable = (await isRolledBack(client)) && session.failure === undefined;
      // If a statement had failed, the work failed because of it.
      throw session.failure ?? error;
    } finally {
      client.release(!isReusable);
    }
  }

  /** Begins a transaction. If the connection turns out to be lost, it tries another one. */
  async #begin(scope: TransactionScope | Organizations): Promise<BegunTransaction> {
    try {
      await this.#dependencies.commits.requireCommits();
    } catch (error) {
      throw new FailedTransactionError(error);
    }
    try {
      return await this.#beginOnce(scope);
    } catch (error) {
      if (isConflict(error)) throw error;
      if (isDatabaseError(error)) throw new FailedTransactionError(error);
    }
    try {
      return await this.#beginOnce(scope);
    } catch (error) {
      throw isConflict(error) ? error : new FailedTransactionError(error);
    }
  }

  async #beginOnce(scope: TransactionScope | Organizations): Promise<BegunTransaction> {
    const client = await this.#dependencies.connections.acquire();
    try {
      const beginning = typeof scope === 'object' ? beginSeveral(client, scope) : begin(client, scope);
      // It sees everything that others have committed who held the same locks.
      const [begun] = await Promise.all([beginning, this.#dependencies.changes.learnIn(client)]);
      return { client, ...begun };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Sends what is left and the COMMIT, and then waits for the answers. */
  async #commit(client: PoolClient, session: WriteSession, { scope, xid }: EndedWork): Promise<void> {
    const token = this.#dependencies.newToken();
    const settled = session.settle();
    // It is waited for last.
    settled.catch(() => undefined);
    try {
      const recorded = client.query({ ...statements.record, values: [session.written, token] });
      const committed = Promise.all([recorded, client.query('COMMIT')]);
      const [, { command }] = await this.#dependencies.commits.confirm(client, committed);
      // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK.
      if (command !== 'COMMIT') throw storageError('failing');
    } catch (error) {
      // To ask for the outcome would mean to wait as long as the commit.
      if (isUnanswered(error)) throw new FailedTransactionError(new UncertainWriteError({ cause: error }));
      if (!isConnectionLost(error)) {
        // If a statement failed, its error says more.
        await settled;
        throw error;
      }
      const outcome = await this.#findOutcome({ scope, xid, token });
      if (outcome === 'committed') return;
      const cause = outcome === 'rolled back' ? error : new UncertainWriteError({ cause: error });
      throw new FailedTransactionError(cause);
    }
  }

  /** Finds out whether a transaction was committed whose connection was lost; undefined if that is not known in time. */
  async #findOutcome(lost: LostCommit): Promise<Outcome | undefined> {
    const { elapsed, sleep } = this.#dependencies;
    // It holds no lock that tells when it has ended.
    if (lost.scope === concurrent) return undefined;
    const begun = elapsed();
    do {
      const outcome = await this.#askOutcome(lost).catch(() => undefined);
      if (outcome !== undefined) return outcome;
      await sleep(outcomeDelay);
    } while (elapsed() - begun < outcomeMilliseconds);
    return undefined;
  }

  /**
   * The lost transaction has ended as soon as its lock is free. Its id alone would not identify it: after a failover,
   * another transaction can have the same one. The commit of the probe waits until everything before it is as durable.
   */
  async #askOutcome({ scope, xid, token }: LostCommit): Promise<Outcome | undefined> {
    const { client } = await this.#beginOnce(scope);
    try {
      const { rowCount } = await client.query({ ...statements.isRecorded, values: [xid, token] });
      await client.query({ ...statements.probe });
      await this.#dependencies.commits.confirm(client, client.query('COMMIT'));
      client.release();
      return rowCount === 1 ? 'committed' : 'rolled back';
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** A transaction that holds its locks. */
interface BegunTransaction extends Begun {
  readonly client: PoolClient;
}

interface Begun {
  readonly xid: string;
  readonly locked: Organizations;
}

/** A transaction that is about to be committed. */
interface EndedWork {
  /** Its lock, or one of them. */
  readonly scope: TransactionScope;
  readonly xid: string;
}

/** A commit that was not answered. */
interface LostCommit extends EndedWork {
  readonly token: string;
}

type Outcome = 'committed' | 'rolled back';

/** The transaction failed as a whole, so that running its works one by one would not help. */
export class FailedTransactionError extends Error {
  override readonly name = 'FailedTransactionError';

  constructor(cause: unknown) {
    super('the transaction failed', { cause });
  }
}

function toScope(scope: TransactionScope | Organizations, locked: Organizations): TransactionScope {
  return typeof scope === 'object' ? (locked[0] ?? concurrent) : scope;
}

/** Ends a transaction that has nothing to commit. */
async function rollBack(client: PoolClient, session: WriteSession): Promise<void> {
  await Promise.all([session.settle(), client.query('ROLLBACK')]);
}

/** Whether a commit took too long, or a standby has not confirmed it. */
function isUnanswered(error: unknown): boolean {
  return error instanceof UnconfirmedCommitError || isSlow(error);
}

/** Rolls back. Returns false if the connection cannot be used any more. */
async function isRolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

/** Begins a transaction and takes its locks. Returns its id. */
async function begin(client: PoolClient, scope: TransactionScope): Promise<Begun> {
  // One message with several statements, so their results come as a list.
  const results: unknown = await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${lockStatement(scope)}
    SELECT pg_current_xact_id()::text AS xid`);
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  const xid = firstRow(last)?.['xid'];
  if (typeof xid !== 'string') throw new TypeError('the database has not said the id of a transaction');
  return { xid, locked: typeof scope === 'string' ? [scope] : [] };
}

/** Begins a transaction and locks those of the organizations that are free. */
async function beginSeveral(client: PoolClient, organizations: Organizations): Promise<Begun> {
  const [, { rows }] = await Promise.all([
    client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${shareAllOrganizations}`),
    client.query<{ xid: string; places: readonly number[] }>({
      ...statements.tryLocks,
      values: [organizations.map(toLockKey)],
    }),
  ]);
  const [{ xid, places } = { xid: '', places: [] }] = rows;
  return { xid, locked: organizations.filter((_, index) => places.includes(index + 1)) };
}

function firstRow(result: unknown): Readonly<Record<string, unknown>> | undefined {
  const rows: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'rows') : undefined;
  return Array.isArray(rows) ? (rows[0] as Readonly<Record<string, unknown>> | undefined) : undefined;
}
