import type { EvidenceSubject } from '../../environment/environment-records.ts';
import { JudgementBudget, MissingMatchesError } from '../../requirement/judgement-budget.ts';
import type { EnvironmentHead } from '../../snapshot/snapshot.ts';
import type { PendingReference } from '../../snapshot/snapshot-records.ts';
import { noteChange } from '../../trail/trail-verdict-use-cases.ts';
import type { WriteTransaction } from '../database/storage.ts';
import type { JudgingContext } from './judging.ts';
import { type ReportedContent, SnapshotMaker } from './snapshot-maker.ts';

/** A change that affects environments. */
export interface Change {
  readonly org: string;
  /** In Unix seconds. */
  readonly at: number;
  /** Whether to create a snapshot even if the verdict stays the same. */
  readonly forced: boolean;
}

/** The maximum amount of judging in one transaction, in steps of a judgement. Later transactions do the rest. */
const maximumSteps = 300_000;

/** The cost of a snapshot apart from its judgement, in the same steps. */
const stepsPerSnapshot = 5_000;

/**
 * Creates the snapshots that follow from a change. One change can affect any number of environments, and an environment
 * can be a member of any number of logical ones. A few snapshots are created in the transaction of the change. The
 * others are recorded as pending in it, so that none is lost, and are created one at a time later; a reader of an
 * environment creates its pending snapshot first. Several changes in the meantime result in one snapshot.
 *
 * Use one instance per transaction.
 */
export class SnapshotUpdates {
  readonly #transaction: WriteTransaction;
  readonly #context: JudgingContext;
  readonly #maker: SnapshotMaker;
  #stepsLeft = maximumSteps;

  constructor(transaction: WriteTransaction, context: JudgingContext) {
    this.#transaction = transaction;
    this.#context = context;
    this.#maker = new SnapshotMaker(transaction, context.policies);
  }

  /**
   * Creates the next snapshot of one environment now, and updates the logical environments that include it.
   *
   * @param reported undefined if there is no new report
   * @throws MissingMatchesError
   */
  async make(
    name: string,
    { org, at }: Omit<Change, 'forced'>,
    reported?: ReportedContent,
  ): Promise<'made' | 'nothing'> {
    const head = await this.#transaction.environments.findHead(org, name);
    if (head === undefined || head.isArchived) return 'nothing';
    const budget = new JudgementBudget(this.#context.matches);
    const outcome = await this.#maker.make(head, at, budget, { forced: true, reported });
    if (outcome === 'made') await this.#spread(head, at);
    else await this.#ageIncluding(head, at);
    return outcome;
  }

  /** Judges the logical environments again that include one, if the time alone may have changed their verdict. */
  async #ageIncluding({ org, name }: EnvironmentHead, at: number): Promise<void> {
    const { environments } = this.#transaction;
    const including = await environments.findHeads(org, await environments.listIncluding(org, [name]));
    for (const head of including.values()) {
      if (await this.#maker.mayHaveAged(head, at)) await this.update([head.name], { org, at, forced: false });
    }
  }

  /** Updates as many environments as one transaction may; the others become pending. */
  async update(names: readonly string[], change: Change): Promise<void> {
    const { org, at, forced } = change;
    for (const environment of names) {
      if (this.#stepsLeft > 0 && (await this.#attempt(environment, change))) continue;
      await this.#transaction.snapshots.savePending({ org, environment, since: at, forced });
    }
  }

  /** Updates one environment. Returns false if this needs more pattern matching than is allowed without a pause. */
  async #attempt(name: string, change: Change): Promise<boolean> {
    try {
      await this.#updateOne(name, change);
      return true;
    } catch (error) {
      if (!(error instanceof MissingMatchesError)) throw error;
      this.#stepsLeft = 0;
      return false;
    }
  }

  async #updateOne(name: string, { org, at, forced }: Change): Promise<void> {
    const { environments, snapshots } = this.#transaction;
    const head = await environments.findHead(org, name);
    if (head === undefined) return;
    const budget = new JudgementBudget(this.#context.matches);
    const pending = await snapshots.findPending({ org, environment: name });
    const isForced = forced || pending?.forced === true;
    const outcome = head.isArchived ? 'nothing' : await this.#maker.make(head, at, budget, { forced: isForced });
    // Not before it is judged: if that needs too much pattern matching, the pending snapshot stays forced.
    if (pending !== undefined) await snapshots.deletePending(pending);
    this.#stepsLeft -= stepsPerSnapshot + budget.spent;
    if (outcome === 'made') await this.#spread(head, at);
  }

  /** A logical environment gets a new snapshot with every new snapshot of a member, because its content changes. */
  async #spread({ org, name }: EnvironmentHead, at: number): Promise<void> {
    await this.update(await this.#transaction.environments.listIncluding(org, [name]), { org, at, forced: true });
  }

  /**
   * Creates a pending snapshot, unless it has been created in the meantime.
   *
   * @throws MissingMatchesError
   */
  async makePending(reference: PendingReference): Promise<void> {
    const pending = await this.#transaction.snapshots.findPending(reference);
    if (pending === undefined) return;
    const { org, environment, since: at, forced } = pending;
    await this.#updateOne(environment, { org, at, forced });
  }
}

/**
 * Judges everything again, because the evidence of a login rule or a service account no longer counts. Call it in the
 * transaction that makes the change.
 */
export async function judgeAll(
  transaction: WriteTransaction,
  { org, at }: Omit<Change, 'forced'>,
  context: JudgingContext,
): Promise<void> {
  const { environments } = transaction;
  await noteChange(transaction, { org }, at);
  const judged = await environments.listJudged(org);
  await new SnapshotUpdates(transaction, context).update(judged, { org, at, forced: false });
}

/**
 * Judges again everything that new evidence applies to: pending answers to GitHub, other trails with the artifact, and
 * environments that run artifacts. Call it in the transaction that records the evidence.
 *
 * @throws MissingMatchesError
 */
export async function judgeEvidence(
  transaction: WriteTransaction,
  subject: EvidenceSubject,
  at: number,
  context: JudgingContext,
): Promise<void> {
  const { org } = subject;
  const { environments } = transaction;
  const [hasPolicies] = await Promise.all([environments.hasPolicies(org), noteChange(transaction, subject, at)]);
  if (!hasPolicies) return;
  const running = await environments.listRunning(subject);
  if (running.length === 0) return;
  const logical = await environments.listIncluding(org, running);
  await new SnapshotUpdates(transaction, context).update([...running, ...logical], { org, at, forced: false });
}
