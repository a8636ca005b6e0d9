import type { EnvironmentKind } from '../../contract/environment.ts';
import { maximumPolicies } from '../../contract/limits.ts';
import { sameArtifacts, type RunningArtifact } from '../domain/environment/running-artifact.ts';
import { parseArtifacts, serializeContent } from '../domain/environment/snapshot-content.ts';
import type { Environment } from '../domain/environment/snapshot.ts';
import type { EnvironmentHead } from '../storage/environments.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/storage.ts';
import { runJudgingTransaction } from './judging/judging-transaction.ts';
import { SnapshotUpdates } from './judging/snapshot-updates.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import { unixSeconds } from '../../runtime/clock.ts';

type JudgingDependencies = Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>;

/** An environment of an organization. */
export interface EnvironmentReference {
  readonly org: string;
  readonly name: string;
}

/** What an environment is created with, or what of it is changed; what is undefined stays, or is empty. */
export interface EnvironmentToSave extends EnvironmentReference {
  readonly kind: EnvironmentKind;
  readonly description?: string | undefined;
  /** Replaces the members of a logical environment. */
  readonly members?: readonly string[] | undefined;
  /** Replaces the policies that are attached. */
  readonly policies?: readonly string[] | undefined;
  /** Who asks for it. */
  readonly user: string;
}

/** What came of saving an environment. Nothing is changed unless it was saved. */
export type SaveEnvironmentResult =
  | { readonly outcome: 'saved' }
  /** It exists and is of this kind. */
  | { readonly outcome: 'of another kind'; readonly kind: EnvironmentKind }
  /** There is no environment of that name, or it is a logical one and can have no place in another. */
  | { readonly outcome: 'member not found' | 'member is logical'; readonly member: string }
  | { readonly outcome: 'policy not found'; readonly policy: string };

/** Creates an environment or changes it, and makes a snapshot if it shows other members or other policies apply. */
export function saveEnvironment(
  dependencies: JudgingDependencies,
  environment: EnvironmentToSave,
): Promise<SaveEnvironmentResult> {
  const now = unixSeconds(dependencies.now());
  return runJudgingTransaction(dependencies, async (transaction, context) => {
    const { org, name, kind } = environment;
    const known = await transaction.environments.find(org, name);
    const fault = await findFault(transaction, environment, known);
    if (fault !== undefined) return fault;
    const description = environment.description ?? known?.description ?? '';
    await transaction.environments.save({
      ...{ org, name, kind, description },
      ...{ createdAt: known?.createdAt ?? now, lastModifiedAt: now },
    });
    const showsOthers = await replaceMembers(transaction, environment, known);
    const isJudgedByOthers = await replacePolicies(transaction, environment, known, now);
    if (showsOthers || isJudgedByOthers) await new SnapshotUpdates(transaction, context).make(name, { org, at: now });
    return { outcome: 'saved' };
  });
}

/** Why an environment cannot be saved; undefined if it can. */
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

/** Whether other members are shown now. */
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

/** Whether other policies apply now. */
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
  return changePolicies(transaction, { org, environment, user, timestamp, detach, attach });
}

/** What an environment says is running. */
export interface EnvironmentReport {
  readonly org: string;
  readonly environment: string;
  readonly kind: EnvironmentKind;
  readonly artifacts: readonly RunningArtifact[];
}

/** What came of a report. */
export type RecordReportResult =
  | { readonly outcome: 'snapshot made' | 'nothing new' | 'environment not found' }
  | { readonly outcome: 'of another kind'; readonly kind: EnvironmentKind };

/**
 * Makes the next snapshot if other artifacts run than before; if the same do, the current snapshot shows the instances of
 * this report from now on.
 */
export function recordReport(
  dependencies: JudgingDependencies,
  { org, environment, kind, artifacts }: EnvironmentReport,
): Promise<RecordReportResult> {
  const now = unixSeconds(dependencies.now());
  // Written out before the transaction, which others wait for.
  const content = serializeContent(artifacts);
  return runJudgingTransaction(dependencies, async (transaction, context): Promise<RecordReportResult> => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return { outcome: 'environment not found' };
    if (head.kind !== kind) return { outcome: 'of another kind', kind: head.kind };
    if (await keepLatest(transaction, head, { artifacts, content })) return { outcome: 'nothing new' };
    await new SnapshotUpdates(transaction, context).make(environment, { org, at: now }, content);
    return { outcome: 'snapshot made' };
  });
}

/** Keeps the latest snapshot if it shows the same artifacts, with the instances that run now. */
async function keepLatest(
  { snapshots }: WriteTransaction,
  { org, name: environment, latest }: EnvironmentHead,
  { artifacts, content }: { readonly artifacts: readonly RunningArtifact[]; readonly content: string },
): Promise<boolean> {
  const reference = { environment, number: latest };
  const current = await snapshots.find(org, reference);
  if (current === undefined) return false;
  if (current.content === content) return true;
  if (!sameArtifacts(parseArtifacts(current.content), artifacts)) return false;
  await snapshots.replaceContent(org, reference, content);
  return true;
}

/** Policies to attach to an environment or to detach from it. */
export interface PolicyChange {
  readonly org: string;
  readonly environment: string;
  readonly policies: readonly string[];
  /** Who asks for it. */
  readonly user: string;
}

/** Attaches policies, and makes a snapshot if one of them was not attached before and something was reported. */
export function attachPolicies(
  dependencies: JudgingDependencies,
  { org, environment, policies, user }: PolicyChange,
): Promise<'attached' | 'not found' | 'too many'> {
  const now = unixSeconds(dependencies.now());
  return runJudgingTransaction(dependencies, async (transaction, context) => {
    const head = await transaction.environments.findHead(org, environment);
    const existing = await transaction.policies.listExisting(org, policies);
    if (head === undefined || existing.length < policies.length) return 'not found';
    const attached = await transaction.environments.listPolicies(org, environment);
    const attach = [...new Set(policies)].filter((policy) => !attached.includes(policy));
    if (attached.length + attach.length > maximumPolicies) return 'too many';
    const change = { org, environment, user, timestamp: now, detach: [], attach };
    if (await changePolicies(transaction, change)) {
      await new SnapshotUpdates(transaction, context).make(environment, { org, at: now });
    }
    return 'attached';
  });
}

/** Detaches all of the policies or, if one is not attached, none. Makes a snapshot as attaching does. */
export function detachPolicies(
  dependencies: JudgingDependencies,
  { org, environment, policies, user }: PolicyChange,
): Promise<'detached' | 'not found'> {
  const now = unixSeconds(dependencies.now());
  return runJudgingTransaction(dependencies, async (transaction, context) => {
    const attached = await transaction.environments.listPolicies(org, environment);
    if (!policies.every((policy) => attached.includes(policy))) return 'not found';
    const change = { org, environment, user, timestamp: now, detach: [...new Set(policies)], attach: [] };
    if (await changePolicies(transaction, change)) {
      await new SnapshotUpdates(transaction, context).make(environment, { org, at: now });
    }
    return 'detached';
  });
}

/** Which policies of an environment are changed. */
interface AttachmentChange {
  readonly org: string;
  readonly environment: string;
  readonly user: string;
  readonly timestamp: number;
  /** Those that are attached, each once. */
  readonly detach: readonly string[];
  /** Those that are not, each once. */
  readonly attach: readonly string[];
}

/** Whether other policies apply now. Each policy keeps it in its history. */
async function changePolicies(
  { environments, policies }: WriteTransaction,
  { org, environment, user, timestamp, detach, attach }: AttachmentChange,
): Promise<boolean> {
  await environments.detachPolicies(org, environment, detach);
  await policies.addEvents(org, detach, { type: 'policy_detached', timestamp, user, environment });
  await environments.attachPolicies(org, environment, attach);
  await policies.addEvents(org, attach, { type: 'policy_attached', timestamp, user, environment });
  return detach.length + attach.length > 0;
}
