import { MatchesMissing, Work } from '../../domain/policy/work.ts';
import type { EnvironmentHead } from '../../storage/environments.ts';
import type { PendingReference } from '../../storage/snapshots.ts';
import type { WriteTransaction } from '../../storage/storage.ts';
import type { JudgingContext } from './judging-transaction.ts';
import { SnapshotMaker } from './snapshot-maker.ts';

/** What touched environments. */
export interface Change {
  readonly org: string;
  /** In Unix seconds. */
  readonly at: number;
  /** Whether a snapshot is made even if the verdict stays the same. */
  readonly forced: boolean;
}

/** How much is judged within one transaction, in steps of a judgement; the rest follows in transactions of its own. */
const maximumSteps = 300_000;

/** What a snapshot takes in itself, in the same steps. */
const stepsPerSnapshot = 5_000;

/**
 * Makes the snapshots that follow from a change: one change can touch any number of environments, and one environment can be
 * shown by any number of logical ones. A few are made within the transaction of the change. The others are recorded in it as
 * pending, so that none is forgotten, and made one at a time; whoever reads one of them makes it first. Changes that follow
 * each other faster than that make one snapshot together.
 *
 * One for each transaction.
 */
export class SnapshotUpdates {
  readonly #transaction: WriteTransaction;
  readonly #context: JudgingContext;
  readonly #maker: SnapshotMaker;
  /** What is left of `maximumSteps`. */
  #stepsLeft = maximumSteps;

  constructor(transaction: WriteTransaction, context: JudgingContext) {
    this.#transaction = transaction;
    this.#context = context;
    this.#maker = new SnapshotMaker(transaction, context.policies);
  }

  /**
   * Makes the next snapshot of one environment, now, and updates the logical ones that show it.
   *
   * @param reported what runs now, as it is stored; undefined if nothing new is known of that
   * @throws MatchesMissing
   */
  async make(name: string, { org, at }: Omit<Change, 'forced'>, reported?: string): Promise<void> {
    const head = await this.#transaction.environments.findHead(org, name);
    if (head === undefined) return;
    const outcome = await this.#maker.make(head, at, new Work(this.#context.matches), reported);
    if (outcome === 'made') await this.#spread(head, at);
  }

  /** Updates environments, as many as may be within one transaction; the others become pending. */
  async update(names: readonly string[], change: Change): Promise<void> {
    const { org, at, forced } = change;
    for (const environment of names) {
      if (this.#stepsLeft > 0 && (await this.#attempt(environment, change))) continue;
      await this.#transaction.snapshots.savePending({ org, environment, since: at, forced });
      this.#context.leavePending();
    }
  }

  /** Updates one environment, unless that takes more matching than may be done at once. */
  async #attempt(name: string, change: Change): Promise<boolean> {
    try {
      await this.#updateOne(name, change);
      return true;
    } catch (error) {
      if (!(error instanceof MatchesMissing)) throw error;
      this.#stepsLeft = 0;
      return false;
    }
  }

  async #updateOne(name: string, { org, at, forced }: Change): Promise<void> {
    const { environments, snapshots } = this.#transaction;
    const head = await environments.findHead(org, name);
    if (head === undefined) return;
    const work = new Work(this.#context.matches);
    const pending = await snapshots.findPending({ org, environment: name });
    const isForced = forced || pending?.forced === true;
    const outcome = isForced
      ? await this.#maker.make(head, at, work)
      : await this.#maker.makeIfVerdictChanged(head, at, work);
    if (pending !== undefined) await snapshots.deletePending(pending);
    this.#stepsLeft -= stepsPerSnapshot + work.spent;
    if (outcome === 'made') await this.#spread(head, at);
  }

  /** A logical environment gets a snapshot with every new one of a member, because it shows another one then. */
  async #spread({ org, name, kind }: EnvironmentHead, at: number): Promise<void> {
    if (kind === 'logical') return;
    await this.update(await this.#transaction.environments.listIncluding(org, [name]), { org, at, forced: true });
  }

  /**
   * Makes some of the pending snapshots, going round in a circle.
   *
   * @returns the last one, to go on after; undefined if there was none
   * @throws MatchesMissing
   */
  async makeSome(after: PendingReference | undefined): Promise<PendingReference | undefined> {
    let last: PendingReference | undefined;
    while (this.#stepsLeft > 0) {
      const next = await this.#transaction.snapshots.findNextPending(last ?? after);
      if (next === undefined) break;
      try {
        await this.makePending(next);
      } catch (error) {
        if (!(error instanceof MatchesMissing) || last === undefined) throw error;
        break;
      }
      last = next;
    }
    return last;
  }

  /**
   * Makes a pending snapshot, unless someone else has made it.
   *
   * @throws MatchesMissing
   */
  async makePending(reference: PendingReference): Promise<void> {
    const pending = await this.#transaction.snapshots.findPending(reference);
    if (pending === undefined) return;
    const { org, environment, since: at, forced } = pending;
    await this.#updateOne(environment, { org, at, forced });
  }
}
