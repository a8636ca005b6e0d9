import { createEvents, findMovement } from '../../snapshot/snapshot-events.ts';
import { sameArtifacts, type RunningArtifact } from '../../snapshot/running-artifact.ts';
import { serializeContent, judgeWithMembers, type MemberVerdict, type Snapshot } from '../../snapshot/snapshot.ts';
import {
  judgeEnvironment,
  judgeWithoutArtifacts,
  type AttachedPolicy,
  type EnvironmentJudgement,
} from '../../policy/judge-environment.ts';
import type { JudgedArtifact } from '../../policy/judged-artifact.ts';
import { BudgetExceededError, type JudgementBudget } from '../../requirement/judgement-budget.ts';
import type { EnvironmentHead } from '../../environment/environment-records.ts';
import type { WriteTransaction } from '../database/storage.ts';
import { toBroadcasts } from '../../notification/delivery-use-cases.ts';
import { loadJudgedArtifacts, loadProvenance } from './provenance.ts';
import { listRules } from './environment-rules.ts';
import type { PolicyCache } from './judging.ts';
import { SnapshotContent } from './snapshot-content.ts';

/** The content of the next snapshot. */
interface Draft {
  readonly content: SnapshotContent;
  /** The verdicts of the members of a logical environment; empty for all others. */
  readonly members: readonly MemberVerdict[];
}

/** The artifacts that a report lists, and how they are stored. */
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
   * Creates the next snapshot of an environment. If the same artifacts are reported as before, their instances are
   * updated in the current snapshot instead.
   *
   * @param reported undefined if there is no new report. An environment without any report gets no snapshot.
   * @throws MissingMatchesError
   */
  async make(
    head: EnvironmentHead,
    now: number,
    budget: JudgementBudget,
    reported?: ReportedContent,
  ): Promise<'made' | 'nothing'> {
    const previous = await this.#loadLatest(head);
    if (reported !== undefined && (await this.#keepLatest(head, previous, reported))) {
      // The time alone may have changed the verdict.
      const policies = await this.#loadPolicies(head);
      if (!policies.some(({ compiled }) => compiled.dependsOnTime)) return 'nothing';
      return this.makeIfVerdictChanged(head, now, budget);
    }
    const draft = await this.#createDraft(head, previous, reported);
    if (draft === undefined) return 'nothing';
    const judgement = await this.#judge(head, draft, now, budget);
    await this.#save(head, previous, { from: now, judgement, content: draft.content });
    return 'made';
  }

  /**
   * Creates the next snapshot of an environment if its verdict changed.
   *
   * @throws MissingMatchesError
   */
  async makeIfVerdictChanged(head: EnvironmentHead, now: number, budget: JudgementBudget): Promise<'made' | 'nothing'> {
    const previous = await this.#loadLatest(head);
    const draft = previous === undefined ? undefined : await this.#createDraft(head, previous);
    if (previous === undefined || draft === undefined) return 'nothing';
    const judgement = await this.#judge(head, draft, now, budget);
    if (judgement.compliant === previous.judgement.compliant) return 'nothing';
    await this.#save(head, previous, { from: now, judgement, content: draft.content });
    return 'made';
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
  ): Promise<Draft | undefined> {
    if (head.kind === 'logical') return this.#createMemberDraft(head, previous);
    if (reported !== undefined) {
      const { json, artifacts } = reported;
      return { content: new SnapshotContent(this.#transaction, head, json, artifacts), members: [] };
    }
    return previous === undefined ? undefined : { content: previous.content, members: [] };
  }

  /** The content of a logical environment is the latest snapshots of its members. */
  async #createMemberDraft(head: EnvironmentHead, previous: LoadedSnapshot | undefined): Promise<Draft | undefined> {
    const { environments, snapshots } = this.#transaction;
    const members = await environments.listMemberHeads(head.org, head.name);
    if (members.length === 0 && previous === undefined) return undefined;
    const references = members.map(({ name, latest }) => ({ environment: name, number: latest }));
    const content = new SnapshotContent(this.#transaction, head, serializeContent(references));
    return { content, members: await snapshots.findVerdicts(head.org, references) };
  }

  async #judge(
    head: EnvironmentHead,
    { content, members }: Draft,
    at: number,
    budget: JudgementBudget,
  ): Promise<EnvironmentJudgement> {
    const policies = await this.#loadPolicies(head);
    const own =
      judgeWithoutArtifacts(policies) ??
      judgeEnvironment(policies, await this.#loadJudgedArtifacts(head, content, budget), at, budget);
    return judgeWithMembers(own, members);
  }

  async #loadPolicies(head: EnvironmentHead): Promise<readonly AttachedPolicy[]> {
    const attached = await listRules(this.#transaction, head);
    return attached.map(({ rules, ...policy }) => ({ ...policy, compiled: this.#policies.compile(rules) }));
  }

  /** Loads the artifacts. Beyond the budget, the returned function throws, so that the judgement reports it. */
  async #loadJudgedArtifacts(
    { org, name: environment }: EnvironmentHead,
    content: SnapshotContent,
    budget: JudgementBudget,
  ): Promise<() => readonly JudgedArtifact[]> {
    try {
      budget.spend(Math.ceil((await content.findMemberBytes()) / charactersInStep));
      const running = await content.artifacts();
      const artifacts = await loadJudgedArtifacts(this.#transaction, org, running, { environment }, budget);
      return () => artifacts;
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error;
      return () => {
        throw error;
      };
    }
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
      const toSnapshot = async (at: number, loaded: LoadedSnapshot): Promise<Snapshot> => ({
        ...{ org, environment, number: at, from: loaded.from, judgement: loaded.judgement },
        artifacts: isTooLarge ? [] : await loaded.content.artifacts(),
      });
      return {
        previous: previous === undefined ? undefined : await toSnapshot(latest, previous),
        next: await toSnapshot(number, next),
      };
    });
  }
}

/** Reading and merging this many characters of content takes about as long as one step of a judgement. */
const charactersInStep = 8;

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
