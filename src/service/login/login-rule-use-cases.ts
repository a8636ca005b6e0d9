import { maximumLoginRules, maximumLoginRulesLength } from '../../contract/login-rule.ts';
import { truncate } from '../../runtime/truncate.ts';
import { type ChangeAuthor, toKeyEvent } from '../account/api-key-use-cases.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import { judgeAll } from '../platform/judging/snapshot-updates.ts';
import { noteChange } from '../trail/trail-verdict-use-cases.ts';
import type { LoginRule, LoginRuleDeclaration } from './login-rule.ts';

export interface LoginRuleReference {
  readonly org: string;
  readonly name: string;
}

type SaveLoginRuleResult =
  | { readonly outcome: 'created' | 'replaced'; readonly rule: LoginRule }
  | { readonly outcome: 'too many rules' }
  | { readonly outcome: 'too long' };

export type LoginRuleToSave = LoginRuleReference & ChangeAuthor & { readonly declaration: LoginRuleDeclaration };

/** Creates or replaces a login rule. A changed rule revokes the keys that it gave. */
export const saveLoginRule = defineWrite(
  async (transaction, { org, name, declaration, by }: LoginRuleToSave, { at }): Promise<SaveLoginRuleResult> => {
    const { loginRules, accounts, auditLog } = transaction;
    const [known, rules] = await Promise.all([loginRules.find(org, name), loginRules.list(org)]);
    if (known === undefined && rules.length >= maximumLoginRules) return { outcome: 'too many rules' };
    const rule: LoginRule = {
      name,
      ...declaration,
      created_at: known?.created_at ?? at,
      created_by: known?.created_by ?? by,
      last_modified_at: at,
    };
    const outcome = known === undefined ? 'created' : 'replaced';
    // Declaring the same rule again must not interrupt running steps.
    if (known !== undefined && describeRule(known) === describeRule(rule)) return { outcome, rule: known };
    const all = [...rules.filter((one) => one.name !== name), rule];
    if (all.reduce((length, one) => length + describeRule(one).length, 0) > maximumLoginRulesLength) {
      return { outcome: 'too long' };
    }
    await loginRules.save(org, rule);
    const details = { rule: truncate(describeRule(rule), maximumShownRule) };
    const event = { org, type: 'login_rule_saved', at, actor: by, subject: `login rule ${name}`, details } as const;
    await auditLog.append(event);
    await revokeKeys({ accounts, auditLog }, { org, name }, { by, at, cause: `login rule ${name} was changed` });
    await noteChange(transaction, { org }, at);
    return { outcome, rule };
  },
);

/** In characters. */
const maximumShownRule = 2000;

/** The fields that a declaration does not set. */
const metadata: ReadonlySet<string> = new Set(['created_at', 'created_by', 'last_modified_at']);

/** The conditions of a rule and what it permits, as JSON with the keys in a fixed order. */
function describeRule(rule: LoginRule): string {
  const entries = Object.entries(rule).filter(([name, value]) => !metadata.has(name) && value !== undefined);
  return JSON.stringify(Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

/** Deletes a login rule, and revokes the keys that it gave. Its evidence meets no requirement any more that names it. */
export const deleteLoginRule = defineWrite(
  async (
    transaction,
    { org, name, by }: LoginRuleReference & ChangeAuthor,
    context,
  ): Promise<'deleted' | 'not found'> => {
    const { at } = context;
    const { loginRules, accounts, auditLog } = transaction;
    if ((await loginRules.delete(org, name)) === 'not found') return 'not found';
    const subject = `login rule ${name}`;
    await auditLog.append({ org, type: 'login_rule_deleted', at, actor: by, subject, details: {} });
    await revokeKeys({ accounts, auditLog }, { org, name }, { by, at, cause: `login rule ${name} was deleted` });
    await judgeAll(transaction, { org, at }, context);
    return 'deleted';
  },
);

async function revokeKeys(
  { accounts, auditLog }: Pick<WriteTransaction, 'accounts' | 'auditLog'>,
  { org, name }: LoginRuleReference,
  { by, at, cause }: ChangeAuthor & { readonly at: number; readonly cause: string },
): Promise<void> {
  for (const key of await accounts.revokeRuleKeys(org, name, at)) {
    if (key.expiresAt <= at) continue;
    const event = toKeyEvent('key_revoked', key, { by, at });
    await auditLog.append({ ...event, details: { ...event.details, cause } });
  }
}
