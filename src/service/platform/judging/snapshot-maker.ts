import { toDay } from '../../../runtime/clock.ts';
import { toBroadcasts } from '../../notification/delivery-use-cases.ts';
import { type EnvironmentJudgement, judgeEnvironment, judgeWithoutArtifacts } from '../../policy/judge-environment.ts';
import type { JudgementBudget } from '../../requirement/judgement-budget.ts';
import { type RunningArtifact, sameArtifacts } from '../../snapshot/running-artifact.ts';
import { type EnvironmentHead, judgeWithMembers, listAllowed, type Snapshot } from '../../snapshot/snapshot.ts';
import { createEvents, findMovement } from '../../snapshot/snapshot-events.ts';
import type { WriteTransaction } from '../database/storage.ts';
import { type JudgedContent, loadMemberContent, loadPolicies, loadRunning } from './environment-judging.ts';
import type { PolicyCache } from './judging.ts';
import { loadProvenance } from './provenance.ts';
import { SnapshotContent } from './snapshot-content.ts';

export interface ReportedContent {
  readonly artifacts: readonly RunningArtifact[];
  readonly json: string;
}

/** The parts of a snapshot that are needed to create the next one. */
interface LoadedSnapshot {
  readonly from: number;
  readonly judgement: EnvironmentJudgement;
  readonly content: SnapshotContent;
}

/** Creates snapshots of single environments, each with its judgement and events, within a transaction. */
export class SnapshotMaker {
  readonly #transaction: WriteTransaction;
  readonly #policies: PolicyCache;

  constructor(transaction: WriteTransaction, policies: PolicyCache) {
    this.#transaction = transaction;
    this.#policies = policies;
  }

  /**
   * Creates the next snapshot of an environment; unless it is forced, only if its verdict changed, or the day until which
   * overrides keep it. If the same artifacts are reported as before, their instances are updated in the current snapshot,
   * and the next one is not forced. An environment without any report gets no snapshot.
   *
   * @param reported undefined if there is no new report
   * @throws MissingMatchesError
   */
  async make(
    head: EnvironmentHead,
    now: number,
    budget: JudgementBudget,
    { forced, reported }: { readonly forced: boolean; readonly reported?: ReportedContent | undefined },
  ): Promise<'made' | 'nothing'> {
    const previous = await this.#loadLatest(head);
    const isKept = reported !== undefined && (await this.#keepLatest(head, previous, reported));
    if (isKept && !(await this.#mayHaveAged(head, previous, now))) return 'nothing';
    const isForced = forced && !isKept;
    if (!isForced && previous === undefined) return 'nothing';
    const draft = await this.#createDraft(head, previous, reported);
    if (draft === undefined) return 'nothing';
    const judgement = await this.#judge(head, draft, now, budget);
    if (!isForced && isSameVerdict(judgement, previous?.judgement)) return 'nothing';
    await this.#save(head, previous, { from: now, judgement, content: draft.content });
    return 'made';
  }

  /** Whether the time alone may have changed the verdict of an environment. */
  async mayHaveAged(head: EnvironmentHead, now: number): Promise<boolean> {
    return this.#mayHaveAged(head, await this.#loadLatest(head), now);
  }

  async #mayHaveAged(head: EnvironmentHead, previous: LoadedSnapshot | undefined, now: number): Promise<boolean> {
    const { overriddenUntil } = previous?.judgement ?? {};
    if (overriddenUntil !== undefined && overriddenUntil < toDay(now)) return true;
    const policies = await loadPolicies(this.#transaction, head, this.#policies);
    return policies.some(({ compiled }) => compiled.dependsOnTime);
  }

  /** Returns whether the same artifacts are reported as before. */
  async #keepLatest(
    { org, name: environment, latest: number }: EnvironmentHead,
    previous: LoadedSnapshot | undefined,
    { artifacts, json }: ReportedContent,
  ): Promise<boolean> {
    if (previous === undefined) return false;
    if (previous.content.json === json) return true;
    if (!sameArtifacts(await previous.content.artifacts(), artifacts)) return false;
    await this.#transaction.snapshots.replaceContent(org, { environment, number }, json);
    return true;
  }

  async #loadLatest(head: EnvironmentHead): Promise<LoadedSnapshot | undefined> {
    const { org, name: environment, latest } = head;
    const stored = await this.#transaction.snapshots.find(org, { environment, number: latest });
    if (stored === undefined) return undefined;
    const { from, judgement, content } = stored;
    return { from, judgement, content: new SnapshotContent(this.#transaction, head, content) };
  }

  async #createDraft(
    head: EnvironmentHead,
    previous: LoadedSnapshot | undefined,
    reported?: ReportedContent,
  ): Promise<JudgedContent | undefined> {
    if (head.kind === 'logical') {
      const draft = await loadMemberContent(this.#transaction, head);
      return draft.content.members.length === 0 && previous === undefined ? undefined : draft;
    }
    if (reported !== undefined) {
      const { json, artifacts } = reported;
      return { content: new SnapshotContent(this.#transaction, head, json, artifacts), members: [] };
    }
    return previous === undefined ? undefined : { content: previous.content, members: [] };
  }

  async #judge(
    head: EnvironmentHead,
    { content, members }: JudgedContent,
    at: number,
    budget: JudgementBudget,
  ): Promise<EnvironmentJudgement> {
    const policies = await loadPolicies(this.#transaction, head, this.#policies);
    const own =
      judgeWithoutArtifacts(policies) ??
      judgeEnvironment(
        policies,
        await loadRunning(this.#transaction, head, content, { policies, at, budget }),
        at,
        budget,
      );
    return judgeWithMembers(own, members);
  }

  async #save(head: EnvironmentHead, previous: LoadedSnapshot | undefined, next: LoadedSnapshot): Promise<void> {
    const { org, name: environment, kind, latest } = head;
    const { snapshots } = this.#transaction;
    const { from, judgement, content } = next;
    const number = latest + 1;
    const isStepBack = previous !== undefined && from < previous.from;
    await snapshots.deletePending({ org, environment });
    await snapshots.insert({ org, environment, number, from, judgement, content: content.json }, isStepBack);
    // Artifacts run in the members of a logical environment, not in the logical environment itself.
    if (kind !== 'logical' && previous?.content !== content) {
      const movement = findMovement((await previous?.content.artifacts()) ?? [], await content.artifacts());
      await snapshots.recordMovement(org, { environment, number, from }, movement);
    }
    await recordEvents(this.#transaction, { org, environment }, async () => {
      const isTooLarge = ((await previous?.content.isTooLarge()) ?? false) || (await content.isTooLarge());
      const toSnapshot = async (at: number, loaded: LoadedSnapshot): Promise<Snapshot> => {
        const members = isTooLarge ? [] : await snapshots.listJudgements(org, loaded.content.members);
        const all = members.map((member) => member.judgement);
        return {
          ...{ org, environment, number: at, from: loaded.from },
          judgement: { ...loaded.judgement, allowed: listAllowed(loaded.judgement, all) },
          artifacts: isTooLarge ? [] : await loaded.content.artifacts(),
        };
      };
      return {
        previous: previous === undefined ? undefined : await toSnapshot(latest, previous),
        next: await toSnapshot(number, next),
      };
    });
  }
}

function isSameVerdict(one: EnvironmentJudgement, other: EnvironmentJudgement | undefined): boolean {
  return one.compliant === other?.compliant && one.overriddenUntil === other.overriddenUntil;
}

/** Two consecutive snapshots; the first snapshot of an environment has no predecessor. */
interface SnapshotStep {
  readonly previous: Snapshot | undefined;
  readonly next: Snapshot;
}

/**
 * Adds the events between two snapshots to the outbox, for all listening targets; many events as a digest. It is
 * done in the transaction that creates the snapshot, so that both are committed or neither.
 *
 * @param loadStep called only if there are listeners: most environments have none, and loading the snapshots is
 *   expensive
 */
async function recordEvents(
  { deliveries, artifacts }: Pick<WriteTransaction, 'deliveries' | 'artifacts'>,
  { org, environment }: Pick<Snapshot, 'org' | 'environment'>,
  loadStep: () => Promise<SnapshotStep>,
): Promise<void> {
  const listeners = await deliveries.listListeners(org, environment);
  if (listeners.length === 0) return;
  const { previous, next } = await loadStep();
  const fingerprints = createEvents(previous, next, () => undefined).flatMap(({ artifact }) => artifact ?? []);
  const provenance = await loadProvenance({ artifacts }, { org, environment }, [
    ...new Set(fingerprints.map(({ fingerprint }) => fingerprint)),
  ]);
  const events = createEvents(previous, next, (fingerprint) => provenance.get(fingerprint));
  await deliveries.insertBroadcasts(org, toBroadcasts(listeners, events));
}
