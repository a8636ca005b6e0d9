import { unixSeconds } from '../../runtime/clock.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import { runJudgingTransaction, type JudgingContext } from '../platform/judging/judging.ts';
import { judgeEvidence, SnapshotUpdates } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { recordRuleChange } from '../environment/rule-change-use-cases.ts';
import type { LoginRule } from '../login/login-rule.ts';
import type { NamedKind } from './naming-records.ts';
import type { Rename, RenamedKind } from './rename-records.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>;

/** A flow, environment or policy. */
export interface NamedReference {
  readonly org: string;
  readonly kind: NamedKind;
  readonly name: string;
}

export type ArchiveResult =
  | { readonly outcome: 'archived' | 'not found' }
  /** An environment is still judged by the policy: this one. */
  | { readonly outcome: 'attached'; readonly environment: string };

/**
 * Archives a flow, an environment or a policy that is attached nowhere. An archived environment is no longer judged, and
 * logical environments no longer include it.
 */
export function archive(
  dependencies: Dependencies,
  { org, kind, name }: NamedReference,
  actor: string,
  request?: KeyedRequest<ArchiveResult>,
): Promise<OnceResult<ArchiveResult>> {
  const at = unixSeconds(dependencies.now());
  const work = async (transaction: WriteTransaction, context: JudgingContext): Promise<ArchiveResult> => {
    const { naming, auditLog, environments, policies } = transaction;
    if (!(await exists(transaction, { org, kind, name }))) return { outcome: 'not found' };
    const attached = kind === 'policy' ? await policies.listEnvironments(org, name) : [];
    const heads = [...(await environments.findHeads(org, attached)).values()];
    const environment = heads.find(({ isArchived }) => !isArchived)?.name;
    if (environment !== undefined) return { outcome: 'attached', environment };
    await naming.archive(org, kind, name, at);
    await auditLog.append({ org, type: 'archived', at, actor, subject: `${kind} ${name}`, details: {} });
    if (kind === 'environment') {
      const including = await environments.listIncluding(org, [name]);
      await new SnapshotUpdates(transaction, context).update(including, { org, at, forced: true });
    }
    return { outcome: 'archived' };
  };
  return runJudgingTransaction(dependencies, org, carryOutOnce(dependencies, request, work));
}

/** Renaming more records would keep others from writing for more than a few seconds. */
export const maximumRenamed = 50_000;

export type RenameResult =
  | { readonly outcome: 'renamed' | 'not found' | 'name is taken' | 'too many records' }
  /** A login rule names it, and would then permit what nobody has approved. */
  | { readonly outcome: 'named by a rule'; readonly rule: string };

/**
 * Renames a flow or environment in all its records, and in the login rules that name it, so that the same keys have access
 * to it as before. Conditions of policies can name a flow, so what runs is judged again.
 */
export function rename(
  dependencies: Dependencies,
  renaming: Rename,
  actor: string,
  request?: KeyedRequest<RenameResult>,
): Promise<OnceResult<RenameResult>> {
  const at = unixSeconds(dependencies.now());
  const { org, kind, from, to } = renaming;
  const work = async (transaction: WriteTransaction, context: JudgingContext): Promise<RenameResult> => {
    const { loginRules, renames, environments } = transaction;
    if (!(await exists(transaction, { org, kind, name: from }))) return { outcome: 'not found' };
    if (from === to) return { outcome: 'renamed' };
    if (await exists(transaction, { org, kind, name: to })) return { outcome: 'name is taken' };
    const rules = await loginRules.list(org);
    const naming = rules.find((rule) => listNames(rule, kind).includes(to));
    if (naming !== undefined) return { outcome: 'named by a rule', rule: naming.name };
    if ((await renames.countRecords(renaming, maximumRenamed)) >= maximumRenamed)
      return { outcome: 'too many records' };
    await renames.rename(renaming);
    for (const rule of rules)
      if (listNames(rule, kind).includes(from)) await loginRules.save(org, renameIn(rule, renaming));
    const event = { org, type: 'renamed', at, actor, subject: `${kind} ${from}` } as const;
    const subject = { org, flow: to };
    const running = kind === 'flow' ? await environments.listRunning(subject) : [];
    await recordRuleChange(transaction, { ...event, details: { changed: `name to ${to}`, new_name: to } }, running);
    if (kind === 'flow') await judgeEvidence(transaction, subject, at, context);
    return { outcome: 'renamed' };
  };
  const once = carryOutOnce(dependencies, request, work);
  // This may take long, and must not block other readers.
  return runJudgingTransaction(dependencies, org, once, { largestText: Number.MAX_SAFE_INTEGER });
}

/** The names of flows or environments in a login rule. */
function listNames(
  { flows = [], environments = [], counts_for_environments: counted = [] }: LoginRule,
  kind: RenamedKind,
): readonly string[] {
  return kind === 'flow' ? flows : [...environments, ...counted];
}

function renameIn(rule: LoginRule, { kind, from, to }: Rename): LoginRule {
  const { flows, environments, counts_for_environments: counted } = rule;
  const replace = (names: readonly string[]): string[] => names.map((name) => (name === from ? to : name));
  if (kind === 'flow') return flows === undefined ? rule : { ...rule, flows: replace(flows) };
  return {
    ...rule,
    ...(environments === undefined ? {} : { environments: replace(environments) }),
    ...(counted === undefined ? {} : { counts_for_environments: replace(counted) }),
  };
}

async function exists(
  { flows, environments, policies }: WriteTransaction,
  { org, kind, name }: NamedReference,
): Promise<boolean> {
  switch (kind) {
    case 'flow':
      return flows.exists(org, name);
    case 'environment':
      return (await environments.findHead(org, name)) !== undefined;
    case 'policy':
      return (await policies.findLatestVersion(org, name)) !== undefined;
  }
}
