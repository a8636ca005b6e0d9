import { unixSeconds } from '../../runtime/clock.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import {
  type JudgedContent,
  loadMemberContent,
  loadPolicies,
  loadRunning,
} from '../platform/judging/environment-judging.ts';
import { type JudgingContext, readJudging } from '../platform/judging/judging.ts';
import { SnapshotContent } from '../platform/judging/snapshot-content.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { JudgementBudget, judgementLimits } from '../requirement/judgement-budget.ts';
import { type EnvironmentHead, judgeWithMembers } from '../snapshot/snapshot.ts';
import { comparePolicies, type PolicyComparison } from './compare-policies.ts';
import { type CompiledPolicy, compilePolicy } from './compile-policy.ts';
import { listEnvironmentReasons } from './judge-environment.ts';
import type { PolicyRules } from './policy-rules.ts';

/** The most environments that are judged, and about how many steps of judgements that may take. */
const maximumEnvironments = 200;
const maximumSteps = 5 * judgementLimits.steps;

/** The most artifacts that are described, of all environments together. */
const maximumArtifacts = 200;

/** The verdict of an environment before and after; null if there is nothing to judge. */
interface ChangedVerdict {
  readonly before: boolean | null;
  readonly after: boolean | null;
}

export interface PreviewedEnvironment
  extends
    ChangedVerdict,
    Pick<PolicyComparison, 'artifactCount' | 'changed' | 'failingLater' | 'changes' | 'changesLeftOut'> {
  readonly name: string;
  /** What its artifacts do not explain: why it could not be judged, and which of its members would not comply. */
  readonly reasons: readonly JudgementReason[];
}

export interface PolicyPreview {
  /** The number of the present version; undefined if there is no such policy. */
  readonly presentVersion: number | undefined;
  /** Whether it is attached to any environment that is not archived. */
  readonly isAttached: boolean;
  /** The environments to which it is attached, and after them the logical ones that include any of those. */
  readonly environments: readonly PreviewedEnvironment[];
  /** How many environments were not judged, because it would have been too much at once. */
  readonly environmentsLeftOut: number;
}

/**
 * Judges all environments to which a policy is attached with its present version and with another one. Stores nothing.
 *
 * @param inTurn does the work of one environment between the costly reads of others
 */
export async function previewPolicy(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  { org, name, rules }: { readonly org: string; readonly name: string; readonly rules: PolicyRules },
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
): Promise<PolicyPreview> {
  const at = unixSeconds(dependencies.now());
  const proposed = { org, name, compiled: compilePolicy(rules) };
  const { presentVersion, isAttached, names } = await dependencies.storage.read((transaction) =>
    findEnvironments(transaction, org, name),
  );
  const environments: PreviewedEnvironment[] = [];
  const verdicts = new Map<string, ChangedVerdict>();
  let [steps, artifactsLeft, environmentsLeftOut] = [0, maximumArtifacts, 0];
  for (const environment of names) {
    if (environments.length >= maximumEnvironments || steps >= maximumSteps) {
      environmentsLeftOut += 1;
      continue;
    }
    const limits = { at, maximumChanges: artifactsLeft, verdicts };
    const previewed = await inTurn(() =>
      readJudging(dependencies, (transaction, context) =>
        previewEnvironment(transaction, context, environment, proposed, limits),
      ),
    );
    if (previewed === undefined) continue;
    steps += previewed.steps;
    artifactsLeft -= previewed.changes.length;
    verdicts.set(environment, previewed);
    environments.push(previewed);
    await dependencies.judging.turns.next();
  }
  return { presentVersion, isAttached, environments, environmentsLeftOut };
}

/** The environments whose verdict depends on a policy, logical ones last, because they depend on the others. */
async function findEnvironments(
  { policies, environments }: Pick<ReadTransaction, 'policies' | 'environments'>,
  org: string,
  name: string,
): Promise<Pick<PolicyPreview, 'presentVersion' | 'isAttached'> & { readonly names: readonly string[] }> {
  const presentVersion = await policies.findLatestVersion(org, name);
  const attachedTo = await policies.listEnvironments(org, name);
  const including = await environments.listIncluding(org, attachedTo);
  const names = [...new Set([...attachedTo, ...including])];
  const found = await environments.findHeads(org, names);
  const heads = names.flatMap((known) => found.get(known) ?? []).filter(({ isArchived }) => !isArchived);
  return {
    presentVersion,
    isAttached: heads.some((head) => attachedTo.includes(head.name)),
    names: heads
      .toSorted((one, other) => Number(one.kind === 'logical') - Number(other.kind === 'logical'))
      .map((head) => head.name),
  };
}

interface PreviewLimits extends Pick<Parameters<typeof comparePolicies>[0], 'at' | 'maximumChanges'> {
  /** Those of the environments that were judged before. */
  readonly verdicts: ReadonlyMap<string, ChangedVerdict>;
}

/** Returns undefined if the environment was archived in the meantime. */
async function previewEnvironment(
  transaction: ReadTransaction,
  { policies, matches }: JudgingContext,
  name: string,
  proposed: { readonly org: string; readonly name: string; readonly compiled: CompiledPolicy },
  { verdicts, ...limits }: PreviewLimits,
): Promise<(PreviewedEnvironment & { readonly steps: number }) | undefined> {
  const head = await transaction.environments.findHead(proposed.org, name);
  if (head === undefined || head.isArchived) return undefined;
  const judged = await loadContent(transaction, head);
  if (judged === undefined) return { ...nothingToJudge, name };
  const present = await loadPolicies(transaction, head, policies);
  const loading = new JudgementBudget(matches);
  const running = await loadRunning(transaction, head, judged.content, {
    policies: [...present, proposed],
    at: limits.at,
    budget: loading,
  });
  const { before, after, ...comparison } = comparePolicies({
    ...limits,
    policy: proposed.name,
    present,
    proposed: present.map((policy) =>
      policy.name === proposed.name ? { ...policy, version: policy.version + 1, compiled: proposed.compiled } : policy,
    ),
    readArtifacts: (budget) => {
      budget.spend(loading.spent);
      return running();
    },
    matches,
  });
  const toMembers = (version: 'before' | 'after'): typeof judged.members =>
    judged.members.map((member) => {
      const verdict = verdicts.get(member.environment);
      return verdict === undefined ? member : { ...member, compliant: verdict[version] };
    });
  const membersAfter = toMembers('after');
  return {
    ...comparison,
    name,
    before: judgeWithMembers(before, toMembers('before')).compliant,
    after: judgeWithMembers(after, membersAfter).compliant,
    reasons: [
      ...[before, after].flatMap((judgement, index) =>
        judgement.unjudgeable === undefined
          ? []
          : listEnvironmentReasons(judgement, `${name} with the ${index === 0 ? 'present' : 'new'} version`),
      ),
      ...membersAfter.flatMap(({ environment, compliant }): readonly JudgementReason[] =>
        compliant === false
          ? [{ state: 'failed', about: environment, value: 'does not comply', source: { member: environment } }]
          : [],
      ),
    ],
  };
}

const nothingToJudge = {
  ...{ before: null, after: null, artifactCount: 0, changed: 0, failingLater: 0 },
  ...{ changes: [], changesLeftOut: 0, reasons: [], steps: 0 },
} as const;

/** What runs in the environment; undefined if nothing was reported yet. */
async function loadContent(transaction: ReadTransaction, head: EnvironmentHead): Promise<JudgedContent | undefined> {
  const { org, name: environment, kind, latest: number } = head;
  if (kind === 'logical') {
    const judged = await loadMemberContent(transaction, head);
    return judged.content.members.length === 0 && number === 0 ? undefined : judged;
  }
  const latest = await transaction.snapshots.find(org, { environment, number });
  return latest && { content: new SnapshotContent(transaction, head, latest.content), members: [] };
}
