import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import {
  concurrent,
  runWriting,
  type StorageDependencies,
  type TransactionScope,
  type WriteTransaction,
} from '../storage.ts';
import { UncertainWriteError } from '../storage-error.ts';
import { storageError } from '../storage-faults.ts';
import { type CommitWatch, UnconfirmedCommitError } from './commit-watch.ts';
import type { Connections } from './connections.ts';
import { lockStatement } from './organization-locks.ts';
import { isConflict, isConnectionLost, isDatabaseError, isSlow } from './postgres-errors.ts';
import { Session } from './session.ts';

const record = { name: 'transactions.record', text: 'INSERT INTO commit_tokens (token) VALUES ($1)' };
const isRecorded = 'SELECT 1 FROM commit_tokens WHERE token = $1';
const forget = "DELETE FROM commit_tokens WHERE committed_at < now() - interval '10 minutes'";

/** Writes a row that holds no record. */
export const probe = 'UPDATE probes SET probed_at = now()';

/** How many times a transaction is run at most, if it conflicts with others. */
const maximumAttempts = 6;
/** How long the outcome of a lost commit is asked for, and how long to wait in between, in milliseconds. */
const outcomeMilliseconds = 10_000;
const outcomeDelay = 500;

interface Dependencies extends Pick<StorageDependencies, 'now' | 'randomBytes' | 'monotonic' | 'after'> {
  readonly connections: Connections;
  readonly commits: CommitWatch;
}

type Outcome = 'committed' | 'rolled back';

/** Runs transactions that write, with locks that all processes respect. */
export class Transactions {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs a transaction, again after conflicts. */
  async run<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(scope, work);
      } catch (error) {
        if (!isConflict(error) || attempt === maximumAttempts) throw error;
      }
    }
  }

  async #attempt<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.#begin(scope);
    const session = new Session(client);
    let result: Result;
    try {
      result = await runWriting(session, this.#dependencies, work);
      // Its error is thrown below.
      if (session.failure !== undefined) throw new Error('the work went on after a statement had failed');
    } catch (error) {
      session.end();
      const isReusable = (await isRolledBack(client)) && session.failure === undefined;
      client.release(!isReusable);
      // If a statement had failed, the work failed because of it.
      throw session.failure ?? error;
    }
    session.end();
    await this.#commit(client, scope);
    return result;
  }

  /** Begins a transaction, and waits for its lock. If the connection turns out to be lost, it tries another one. */
  async #begin(scope: TransactionScope): Promise<PoolClient> {
    await this.#dependencies.commits.requireCommits();
    try {
      return await this.#beginOnce(scope);
    } catch (error) {
      if (isDatabaseError(error)) throw error;
    }
    return this.#beginOnce(scope);
  }

  async #beginOnce(scope: TransactionScope): Promise<PoolClient> {
    const client = await this.#dependencies.connections.acquire();
    try {
      await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${lockStatement(scope)}`);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Commits, with a token that proves it, and gives the connection back. */
  async #commit(client: PoolClient, scope: TransactionScope): Promise<void> {
    const token = randomUUID();
    try {
      const recorded = client.query({ ...record, values: [token] });
      const committed = Promise.all([recorded, client.query('COMMIT')]);
      const [, { command }] = await this.#dependencies.commits.confirm(client, committed);
      // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK.
      if (command !== 'COMMIT') throw storageError('failing');
      client.release();
    } catch (error) {
      // Before the outcome is asked for, which takes another connection.
      client.release(true);
      // To ask for the outcome would mean to wait as long as the commit.
      if (isUnanswered(error)) throw new UncertainWriteError({ cause: error });
      if (!isConnectionLost(error)) throw error;
      const outcome = await this.#findOutcome(scope, token);
      if (outcome === 'committed') return;
      throw outcome === 'rolled back' ? error : new UncertainWriteError({ cause: error });
    }
  }

  /** Finds out whether a transaction was committed whose connection was lost; undefined if that is not known in time. */
  async #findOutcome(scope: TransactionScope, token: string): Promise<Outcome | undefined> {
    const { monotonic, after } = this.#dependencies;
    // It holds no lock that tells when it has ended.
    if (scope === concurrent) return undefined;
    const begun = monotonic();
    do {
      const outcome = await this.#askOutcome(scope, token).catch(() => undefined);
      if (outcome !== undefined) return outcome;
      await new Promise<void>((resolve) => after(outcomeDelay, resolve));
    } while (monotonic() - begun < outcomeMilliseconds);
    return undefined;
  }

  /**
   * The lost transaction has ended as soon as its lock is free. The commit of the probe waits until everything before it
   * is as durable.
   */
  async #askOutcome(scope: TransactionScope, token: string): Promise<Outcome> {
    const client = await this.#beginOnce(scope);
    try {
      const { rowCount } = await client.query(isRecorded, [token]);
      await client.query(probe);
      await this.#dependencies.commits.confirm(client, client.query('COMMIT'));
      client.release();
      return rowCount === 1 ? 'committed' : 'rolled back';
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Deletes the tokens of commits that nobody asks for any more. */
  async forgetCommits(): Promise<void> {
    const client = await this.#dependencies.connections.acquire();
    try {
      await client.query(forget);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
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
