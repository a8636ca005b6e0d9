import type { AttachedPolicy } from '../../policy/judge-environment.ts';
import type { JudgedArtifact } from '../../policy/judged-artifact.ts';
import { BudgetExceededError, type JudgementBudget } from '../../requirement/judgement-budget.ts';
import { type EnvironmentHead, serializeContent } from '../../snapshot/snapshot.ts';
import type { SnapshotVerdict } from '../../snapshot/snapshot-records.ts';
import type { ReadTransaction } from '../database/storage.ts';
import { listRules } from './environment-rules.ts';
import type { PolicyCache } from './judging.ts';
import { loadJudgedArtifacts } from './provenance.ts';
import { SnapshotContent } from './snapshot-content.ts';

// What is loaded to judge an environment, for its next snapshot and for the preview of a policy.

export interface JudgedContent {
  readonly content: SnapshotContent;
  /** The verdicts of the members of a logical environment; empty for all others. */
  readonly members: readonly SnapshotVerdict[];
}

/** The content of a logical environment is the latest snapshots of its members. */
export async function loadMemberContent(
  transaction: Pick<ReadTransaction, 'environments' | 'snapshots'>,
  head: EnvironmentHead,
): Promise<JudgedContent> {
  const { environments, snapshots } = transaction;
  const members = await environments.listMemberHeads(head.org, head.name);
  const references = members.map(({ name, latest }) => ({ environment: name, number: latest }));
  const content = new SnapshotContent(transaction, head, serializeContent(references));
  return { content, members: await snapshots.findVerdicts(head.org, references) };
}

export async function loadPolicies(
  transaction: Pick<ReadTransaction, 'policies'>,
  head: EnvironmentHead,
  cache: PolicyCache,
): Promise<readonly AttachedPolicy[]> {
  const attached = await listRules(transaction, head);
  return attached.map(({ rules, ...policy }) => ({ ...policy, compiled: cache.compile(rules) }));
}

/** Reading and merging this many characters of content takes about as long as one step of a judgement. */
const charactersInStep = 8;

/** Loads what runs in an environment. Beyond the budget, the returned function throws, so that the judgement reports it. */
export async function loadRunning(
  transaction: ReadTransaction,
  { org, name: environment }: EnvironmentHead,
  content: SnapshotContent,
  {
    policies,
    at,
    budget,
  }: {
    /** All policies that it is going to be judged by. */
    readonly policies: readonly Pick<AttachedPolicy, 'compiled'>[];
    readonly at: number;
    readonly budget: JudgementBudget;
  },
): Promise<() => readonly JudgedArtifact[]> {
  try {
    budget.spend(Math.ceil((await content.findMemberBytes()) / charactersInStep));
    const running = await content.artifacts();
    const audience = { environment, recorders: policies.flatMap(({ compiled }) => compiled.recorders) };
    const artifacts = await loadJudgedArtifacts(transaction, { org, at }, running, audience, budget);
    return () => artifacts;
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    return () => {
      throw error;
    };
  }
}
