import type { After } from '../../../runtime/clock.ts';
import { concurrent, type Preparation, type TransactionScope, type WriteTransaction } from '../storage.ts';
import { LoneOrganizations } from './lone-organizations.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { runInTurn, type PreparedWork } from './run-in-turn.ts';
import { SoftLimit } from './soft-limit.ts';
import { FailedTransactionError, Transactions, type TransactionDependencies } from './transactions.ts';

/**
 * With two transactions of several organizations at the same time, the database is busy while this process handles the
 * results of the other one. More would have fewer works each, and take longer together. The wait is in milliseconds.
 */
const sharedLimit = { usual: 2, maximumWait: 25 };

/** How many organizations share a transaction at most. It locks them all until its end. */
const maximumOrganizations = 64;

/** Work that took longer than this (in milliseconds) makes too many others wait. */
const slowMilliseconds = 50;

/** Work that waits for its transaction. */
interface Job extends PreparedWork {
  readonly scope: TransactionScope;
  /** Whether it may share a transaction with works of other organizations. */
  readonly canBeShared: boolean;
  /** Runs the work; its result is kept until the commit. */
  readonly run: (transaction: WriteTransaction) => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The dependencies of `WriteGroups`. */
export interface WriteGroupDependencies extends TransactionDependencies {
  readonly after: After;
}

/**
 * Runs works in transactions. Those of one organization run one after the other. Works that wait in this process share
 * a transaction, so that they share the locks, the reads and the commit: works of one organization always, works of
 * several if they are prepared, which are short. If one of them fails, all are rolled back. Then each organization gets
 * a transaction of its own, and if that fails, each work.
 */
export class WriteGroups {
  readonly #transactions: Transactions;
  readonly #limit: SoftLimit;
  readonly #elapsed: () => number;
  readonly #lone: LoneOrganizations;
  readonly #waiting = new Map<TransactionScope, Job[]>();
  /** The scopes whose works are running. */
  readonly #running = new Set<TransactionScope>();
  /** Whether a transaction of several organizations is about to begin. */
  #isGathering = false;
  readonly #tasks = new Set<Promise<void>>();
  readonly #listeners: (() => void)[] = [];

  constructor(dependencies: WriteGroupDependencies) {
    this.#transactions = new Transactions(dependencies);
    this.#limit = new SoftLimit(sharedLimit, dependencies.after);
    this.#elapsed = dependencies.elapsed;
    this.#lone = new LoneOrganizations(dependencies.elapsed);
  }

  /** Calls the listener after every commit. */
  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Runs work in the next transaction of its scope. */
  write<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
    prepare?: Preparation,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      let finish: () => void = () => undefined;
      this.#add({
        scope,
        canBeShared: prepare !== undefined,
        prepare: prepare ?? (() => Promise.resolve()),
        run: async (transaction) => {
          const result = await this.#observe(scope, () => work(transaction));
          finish = () => {
            resolve(result);
          };
        },
        resolve: () => {
          finish();
        },
        reject,
      });
    });
  }

  /** Resolves when everything has ended that was begun before. */
  async drain(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  /** Runs work, and notes if others should not share a transaction with it because it takes long. */
  async #observe<Result>(scope: TransactionScope, work: () => Promise<Result>): Promise<Result> {
    const begun = this.#elapsed();
    try {
      return await work();
    } finally {
      if (this.#elapsed() - begun >= slowMilliseconds) this.#keepApart(scope);
    }
  }

  /** Lets no others share a transaction with a scope for a while. */
  #keepApart(scope: TransactionScope): void {
    if (typeof scope === 'string') this.#lone.add(scope);
  }

  #add(job: Job): void {
    const { scope } = job;
    if (scope === concurrent) {
      this.#track(this.#runGroup(scope, [job]));
      return;
    }
    const waiting = this.#waiting.get(scope);
    if (waiting === undefined) this.#waiting.set(scope, [job]);
    else waiting.push(job);
    this.#begin(scope);
  }

  #track(task: Promise<void>): void {
    const tracked = task.finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
  }

  /** Makes the waiting works of a scope run soon, unless others of it are running. */
  #begin(scope: TransactionScope): void {
    if (this.#running.has(scope) || !this.#waiting.has(scope)) return;
    if (!this.#canBeShared(scope)) {
      this.#running.add(scope);
      this.#track(this.#runAlone(scope));
    } else if (!this.#isGathering) {
      this.#isGathering = true;
      this.#track(this.#runShared());
    }
  }

  #end(scope: TransactionScope): void {
    this.#running.delete(scope);
    this.#begin(scope);
  }

  #canBeShared(scope: TransactionScope): scope is string {
    if (typeof scope !== 'string' || this.#lone.has(scope)) return false;
    return this.#waiting.get(scope)?.every(({ canBeShared }) => canBeShared) ?? false;
  }

  #take(scope: TransactionScope): readonly Job[] {
    const jobs = this.#waiting.get(scope) ?? [];
    this.#waiting.delete(scope);
    return jobs;
  }

  /** Puts works back, before those that came later. */
  #putBack(jobs: readonly Job[]): void {
    for (const [scope, left] of Map.groupBy(jobs, (job) => job.scope)) {
      this.#waiting.set(scope, [...left, ...this.#take(scope)]);
    }
  }

  /** Runs the works of a scope in transactions of its own. Never rejects. */
  async #runAlone(scope: TransactionScope): Promise<void> {
    await endOfTurn();
    do await this.#runGroup(scope, this.#take(scope));
    while (this.#waiting.has(scope) && !this.#canBeShared(scope));
    this.#end(scope);
  }

  /** Runs works of all organizations that wait. Never rejects. */
  async #runShared(): Promise<void> {
    await endOfTurn();
    await this.#limit.enter();
    const scopes = [...this.#waiting.keys()]
      .filter((scope) => !this.#running.has(scope))
      .filter((scope) => this.#canBeShared(scope))
      .slice(0, maximumOrganizations);
    const jobs = inTurns(scopes.map((scope) => this.#take(scope)));
    for (const scope of scopes) this.#running.add(scope);
    this.#isGathering = false;
    for (const scope of this.#waiting.keys()) this.#begin(scope);
    if (jobs.length > 0) await this.#runOrganizations(scopes, jobs);
    this.#limit.leave();
  }

  async #runOrganizations(scopes: readonly string[], jobs: readonly Job[]): Promise<void> {
    const attempted = await attempt(() =>
      this.#transactions.run(scopes, async (transaction, locked) => {
        for (const scope of scopes) if (!locked.has(scope)) this.#lone.add(scope);
        const runnable = jobs.filter(({ scope }) => typeof scope === 'string' && locked.has(scope));
        if (runnable.length === 0) return undefined;
        return new Set(runnable.slice(0, await runInTurn(runnable, transaction, this.#elapsed)));
      }),
    );
    if ('error' in attempted) {
      await this.#settleShared(scopes, jobs, attempted.error);
      return;
    }
    const { result: done = new Set() } = attempted;
    if (done.size > 0) this.#succeed(done);
    this.#putBack(jobs.filter((job) => !done.has(job)));
    for (const scope of scopes) this.#end(scope);
  }

  async #settleShared(scopes: readonly string[], jobs: readonly Job[], error: unknown): Promise<void> {
    const byScope = Map.groupBy(jobs, ({ scope }) => scope);
    const settle = async (scope: string): Promise<void> => {
      const own = byScope.get(scope) ?? [];
      if (jobs.length === 1 || error instanceof FailedTransactionError) this.#rejectAll(own, error);
      else await this.#runGroup(scope, own);
      this.#end(scope);
    };
    await Promise.all(scopes.map(settle));
  }

  /** Runs works together; those that fail are settled. Never rejects. */
  async #runGroup(scope: TransactionScope, jobs: readonly Job[]): Promise<void> {
    const attempted = await attempt(() =>
      this.#transactions.run(scope, (transaction) => runInTurn(jobs, transaction, this.#elapsed)),
    );
    if ('error' in attempted) {
      if (jobs.length > 1 && !(attempted.error instanceof FailedTransactionError)) {
        for (const job of jobs) await this.#runGroup(scope, [job]);
      } else this.#rejectAll(jobs, attempted.error);
      return;
    }
    this.#succeed(jobs.slice(0, attempted.result));
    this.#putBack(jobs.slice(attempted.result));
  }

  /** Rejects works, which failed alone or with a transaction that failed as a whole. */
  #rejectAll(jobs: readonly Job[], error: unknown): void {
    const isTheirs = !(error instanceof FailedTransactionError);
    const cause = translatePostgresError(isTheirs ? error : error.cause);
    for (const { scope, reject } of jobs) {
      if (isTheirs) this.#keepApart(scope);
      reject(cause);
    }
  }

  #succeed(jobs: Iterable<Job>): void {
    for (const job of jobs) job.resolve();
    for (const listener of this.#listeners) listener();
  }
}

type Attempted<Result> = { readonly result: Result } | { readonly error: unknown };

async function attempt<Result>(work: () => Promise<Result>): Promise<Attempted<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error };
  }
}

/** Works that begin in the same turn of the event loop share a transaction. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The first of each list, then the second of each, and so on, so that a long list does not delay the others. */
function inTurns<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat();
}
