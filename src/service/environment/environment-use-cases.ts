import { setImmediate } from 'node:timers/promises';
import type { EnvironmentKind } from '../../contract/environment.ts';
import { maximumMembers, maximumPolicies } from '../../contract/limits.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { ReadTransaction, WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import { defineWrite, type WriteContext } from '../platform/judging/define-write.ts';
import { type JudgingContext, runJudgingTransaction } from '../platform/judging/judging.ts';
import { SnapshotUpdates } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { RunningArtifact } from '../snapshot/running-artifact.ts';
import { type Environment, serializeContent } from '../snapshot/snapshot.ts';
import { recordRuleChanges } from './rule-change-use-cases.ts';

type JudgingDependencies = Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>;

export interface EnvironmentReference {
  readonly org: string;
  readonly name: string;
}

/** An environment to create or update. Undefined fields stay as they are, or are empty in a new environment. */
export interface EnvironmentToSave extends EnvironmentReference {
  readonly kind: EnvironmentKind;
  readonly description?: string | undefined;
  /** Replaces the members of a logical environment. */
  readonly members?: readonly string[] | undefined;
  /** Replaces the attached policies. */
  readonly policies?: readonly string[] | undefined;
  readonly requiresProvenance?: boolean | undefined;
  readonly user: string;
  /** Whether the user may bring an archived environment back, or take the former name of another. Default: false. */
  readonly mayRestore?: boolean | undefined;
  /** Whether the user may take a member out of the environment. Default: no. */
  readonly mayTakeOut?: ((member: string) => boolean) | undefined;
}

/** The result of `saveEnvironment`. Nothing was changed unless the outcome is `saved`. */
export type SaveEnvironmentResult =
  | { readonly outcome: 'saved' | 'archived' }
  /** The environment that had the name is still found by it, as by gates, and the user may not change that. */
  | { readonly outcome: 'former name' }
  /** The user may not take out a member, whose policies judge what is to run in the environment. */
  | { readonly outcome: 'member stays' }
  /** The environment exists with another kind: this one. */
  | { readonly outcome: 'of another kind'; readonly kind: EnvironmentKind }
  /** The member does not exist, or is itself a logical environment. */
  | { readonly outcome: 'member not found' | 'member is logical'; readonly member: string }
  | { readonly outcome: 'policy not found'; readonly policy: string };

/** Creates or updates an environment. Creates a snapshot if its members, policies or requirement changed. */
export const saveEnvironment = defineWrite(
  async (transaction, environment: EnvironmentToSave, context): Promise<SaveEnvironmentResult> => {
    const known = await transaction.environments.find(environment.org, environment.name);
    return saveWithin(transaction, context, environment, known);
  },
);

export type JoinEnvironmentResult =
  SaveEnvironmentResult | { readonly outcome: 'environment not found' | 'not logical' | 'too many members' };

/** Adds a member to a logical environment, and creates a snapshot if it was not a member. */
export const joinEnvironment = defineWrite(
  async (
    transaction,
    { org, name, member, user }: EnvironmentReference & { readonly member: string; readonly user: string },
    context,
  ): Promise<JoinEnvironmentResult> => {
    const known = await transaction.environments.find(org, name);
    if (known === undefined) return { outcome: 'environment not found' };
    const { kind } = known;
    if (kind !== 'logical') return { outcome: 'not logical' };
    const members = [...new Set([...known.members, member])];
    if (members.length > maximumMembers) return { outcome: 'too many members' };
    return saveWithin(transaction, context, { org, name, kind, members, user }, known);
  },
);

async function saveWithin(
  transaction: WriteTransaction,
  context: WriteContext,
  environment: EnvironmentToSave,
  known: Environment | undefined,
): Promise<SaveEnvironmentResult> {
  const { at: now } = context;
  const { org, name, user: actor } = environment;
  const isRestored = known?.isArchived === true;
  const fault =
    (await findFault(transaction, environment, known)) ?? (await findRefusal(transaction, environment, known));
  if (fault !== undefined) return fault;
  const requiresOthers = await saveFields(transaction, environment, known, now);
  const showsOthers = await replaceMembers(transaction, environment, known);
  const isJudgedByOthers = await replacePolicies(transaction, environment, known, now);
  const restoration = { org, type: 'restored', at: now, actor, subject: `environment ${name}`, details: {} } as const;
  if (isRestored) await transaction.auditLog.append(restoration);
  await transaction.githubAnswers.noteRuleChange(org, now);
  if (requiresOthers || showsOthers || isJudgedByOthers || isRestored)
    await new SnapshotUpdates(transaction, context).make(name, { org, at: now });
  return { outcome: 'saved' };
}

/** Returns what the user may not do, because it decides what is judged by which policies. */
async function findRefusal(
  { renames }: ReadTransaction,
  { org, name, members, mayRestore = false, mayTakeOut = () => false }: EnvironmentToSave,
  known: Environment | undefined,
): Promise<SaveEnvironmentResult | undefined> {
  if (members !== undefined && known?.members.some((one) => !members.includes(one) && !mayTakeOut(one)) === true)
    return { outcome: 'member stays' };
  if (mayRestore || known?.isArchived === false) return undefined;
  if (known !== undefined) return { outcome: 'archived' };
  const former = await renames.listFormer(org, [name]);
  return former.some(({ kind }) => kind === 'environment') ? { outcome: 'former name' } : undefined;
}

/** Returns why an environment cannot be saved; undefined if it can. */
async function findFault(
  transaction: ReadTransaction,
  { org, kind, members = [], policies = [] }: EnvironmentToSave,
  known: Environment | undefined,
): Promise<SaveEnvironmentResult | undefined> {
  if (known !== undefined && known.kind !== kind) return { outcome: 'of another kind', kind: known.kind };
  const heads = await transaction.environments.findHeads(org, members);
  for (const member of members) {
    const head = heads.get(member);
    if (head === undefined) return { outcome: 'member not found', member };
    if (head.kind === 'logical') return { outcome: 'member is logical', member };
  }
  const existing = new Set(await transaction.policies.listExisting(org, policies));
  const policy = policies.find((wanted) => !existing.has(wanted));
  return policy === undefined ? undefined : { outcome: 'policy not found', policy };
}

/** Returns whether the requirement of provenance changed. */
async function saveFields(
  transaction: WriteTransaction,
  environment: EnvironmentToSave,
  known: Environment | undefined,
  now: number,
): Promise<boolean> {
  const { org, name, kind } = environment;
  const required = known?.requiresProvenance ?? false;
  const { description = known?.description ?? '', requiresProvenance = required } = environment;
  await transaction.environments.save({ org, name, kind, description, requiresProvenance, lastModifiedAt: now });
  if (requiresProvenance === required) return false;
  const details = { require_provenance: String(requiresProvenance) };
  const change = {
    type: 'provenance_requirement_changed',
    ...{ org, at: now, actor: environment.user, subject: `environment ${name}`, details },
  } as const;
  await recordRuleChanges(transaction, [change], [name]);
  return true;
}

/** Returns whether the members changed. */
async function replaceMembers(
  { environments }: WriteTransaction,
  { org, name, members }: EnvironmentToSave,
  known: Environment | undefined,
): Promise<boolean> {
  if (members === undefined) return false;
  const wanted = [...new Set(members)].sort();
  if (wanted.join('\n') === (known?.members ?? []).join('\n')) return false;
  await environments.replaceMembers(org, name, wanted);
  return true;
}

/** Returns whether the attached policies changed. */
async function replacePolicies(
  transaction: WriteTransaction,
  { org, name: environment, policies: wanted, user }: EnvironmentToSave,
  known: Environment | undefined,
  timestamp: number,
): Promise<boolean> {
  if (wanted === undefined) return false;
  const attached = known?.policies ?? [];
  const detach = attached.filter((policy) => !wanted.includes(policy));
  const attach = [...new Set(wanted)].filter((policy) => !attached.includes(policy));
  return savePolicies(transaction, { org, environment, user, detach, attach }, timestamp);
}

export interface EnvironmentReport {
  readonly org: string;
  readonly environment: string;
  readonly kind: EnvironmentKind;
  readonly artifacts: readonly RunningArtifact[];
}

export type RecordReportResult =
  | { readonly outcome: 'snapshot made' | 'nothing new' | 'environment not found' }
  | {
      readonly outcome: 'of another kind';
      readonly kind: EnvironmentKind;
      readonly reported: EnvironmentKind;
    };

/** Creates a snapshot if different artifacts run than before; else updates the instances in the current snapshot. */
export async function recordReport(
  dependencies: JudgingDependencies,
  { org, environment, kind, artifacts }: EnvironmentReport,
  request?: KeyedRequest<RecordReportResult>,
): Promise<OnceResult<RecordReportResult>> {
  const now = unixSeconds(dependencies.now());
  // Serialized before the transaction, because other transactions wait for it; in a turn of the event loop of its own.
  await setImmediate();
  const json = serializeContent(artifacts);
  await setImmediate();
  const record = async (transaction: WriteTransaction, context: JudgingContext): Promise<RecordReportResult> => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return { outcome: 'environment not found' };
    if (head.kind !== kind) return { outcome: 'of another kind', kind: head.kind, reported: kind };
    await transaction.environments.recordReport(org, environment, now);
    const updates = new SnapshotUpdates(transaction, context);
    const outcome = await updates.make(environment, { org, at: now }, { artifacts, json });
    return { outcome: outcome === 'made' ? 'snapshot made' : 'nothing new' };
  };
  const largestText = json.length;
  return runJudgingTransaction(dependencies, org, carryOutOnce(dependencies, request, record), { largestText });
}

export interface PolicyChange {
  readonly org: string;
  readonly environment: string;
  readonly attach: readonly string[];
  readonly detach: readonly string[];
  readonly user: string;
}

export type ChangePoliciesResult =
  | 'changed'
  | 'too many'
  /** The environment, or some of the policies, do not exist. */
  | { readonly isEnvironmentMissing: boolean; readonly missingPolicies: readonly string[] };

/**
 * Attaches those of the policies that are not attached, and detaches those that are; none if one does not exist. Creates a
 * snapshot if that changes anything and the environment has a report.
 */
export const changePolicies = defineWrite(
  async (transaction, change: PolicyChange, context): Promise<ChangePoliciesResult> => {
    const { at: now } = context;
    const { org, environment } = change;
    const { environments, policies } = transaction;
    const named = [...new Set([...change.attach, ...change.detach])];
    const isEnvironmentMissing = (await environments.findHead(org, environment)) === undefined;
    const existing = new Set(await policies.listExisting(org, named));
    const attached = await environments.listPolicies(org, environment);
    // An archived policy may still be attached to an environment that was archived, too.
    const missingPolicies = named.filter(
      (policy) => !existing.has(policy) && !(change.detach.includes(policy) && attached.includes(policy)),
    );
    if (isEnvironmentMissing || missingPolicies.length > 0) return { isEnvironmentMissing, missingPolicies };
    const attach = [...new Set(change.attach)].filter((policy) => !attached.includes(policy));
    const detach = attached.filter((policy) => change.detach.includes(policy));
    if (attached.length + attach.length - detach.length > maximumPolicies) return 'too many';
    if (await savePolicies(transaction, { ...change, attach, detach }, now)) {
      await new SnapshotUpdates(transaction, context).make(environment, { org, at: now });
    }
    return 'changed';
  },
);

/**
 * Attaches policies that are not attached and detaches attached ones, each named once, and records it in their history.
 * Returns whether anything changed.
 */
async function savePolicies(
  transaction: WriteTransaction,
  { org, environment, user, detach, attach }: PolicyChange,
  timestamp: number,
): Promise<boolean> {
  const { environments, policies } = transaction;
  await environments.detachPolicies(org, environment, detach);
  await policies.addEvents(org, detach, { type: 'policy_detached', timestamp, user, environment });
  await environments.attachPolicies(org, environment, attach);
  await policies.addEvents(org, attach, { type: 'policy_attached', timestamp, user, environment });
  const subject = `environment ${environment}`;
  const toChange = (type: 'policy_detached' | 'policy_attached') => (policy: string) =>
    ({ org, type, at: timestamp, actor: user, subject, details: { policy } }) as const;
  const [first, ...others] = [...detach.map(toChange('policy_detached')), ...attach.map(toChange('policy_attached'))];
  if (first === undefined) return false;
  await recordRuleChanges(transaction, [first, ...others], [environment]);
  return true;
}
