import type { ChangeAuthor } from '../account/api-key-use-cases.ts';
import { recordRuleChanges } from '../environment/rule-change-use-cases.ts';
import { renameInGate } from '../github/gate.ts';
import type { LoginRule } from '../login/login-rule.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import { judgeEvidence } from '../platform/judging/snapshot-updates.ts';
import type { Rename, RenamedKind } from './rename-records.ts';

/** Renaming more records would keep others from writing for more than a few seconds. */
export const maximumRenamed = 50_000;

export type RenameResult =
  | { readonly outcome: 'renamed' | 'not found' | 'name is taken' | 'too many records' }
  /** A login rule names it, and would then permit what nobody has approved. */
  | { readonly outcome: 'named by a rule'; readonly rule: string };

/**
 * Renames a flow or environment in all its records, and in the login rules and gates that name it, so that the same keys
 * have access to it as before. Conditions of policies can name a flow, so what runs is judged again.
 */
export const rename = defineWrite(
  async (transaction, { by: actor, ...renaming }: Rename & ChangeAuthor, context): Promise<RenameResult> => {
    const { at } = context;
    const { org, kind, from, to } = renaming;
    const { naming, loginRules, renames, environments } = transaction;
    if (!(await naming.exists({ org, kind, name: from }))) return { outcome: 'not found' };
    if (from === to) return { outcome: 'renamed' };
    if (await naming.exists({ org, kind, name: to })) return { outcome: 'name is taken' };
    const rules = await loginRules.list(org);
    const obstacle = rules.find((rule) => listNames(rule, kind).includes(to));
    if (obstacle !== undefined) return { outcome: 'named by a rule', rule: obstacle.name };
    const count = await renames.countRecords(renaming, maximumRenamed);
    if (count >= maximumRenamed) return { outcome: 'too many records' };
    // Those of a flow that existed before, or never did.
    if (kind === 'flow') await transaction.githubAnswers.deleteOfFlow(org, to);
    await renames.rename(renaming);
    for (const rule of rules)
      if (listNames(rule, kind).includes(from)) await loginRules.save(org, renameIn(rule, renaming));
    for (const gate of await transaction.githubGates.list(org))
      await transaction.githubGates.save(org, renameInGate(gate, renaming));
    const event = { org, type: 'renamed', at, actor, subject: `${kind} ${from}` } as const;
    const subject = { org, flow: to };
    const running = kind === 'flow' ? await environments.listRunning(subject) : [];
    await recordRuleChanges(transaction, [{ ...event, details: { changed: `name to ${to}`, new_name: to } }], running);
    if (kind === 'flow') await judgeEvidence(transaction, subject, at, context);
    return { outcome: 'renamed' };
  },
  // This may take long, and must not block other readers.
  { largestText: Number.MAX_SAFE_INTEGER },
);

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
