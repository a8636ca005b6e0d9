import { loginKeyLifetime, maximumLoginKeys } from '../../contract/login.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { actorName } from '../account/access.ts';
import type { Login, StoredKey } from '../account/account.ts';
import { type ApiKey, formatApiKey, newLoginKey } from '../account/api-key.ts';
import { type ChangeAuthor, toKeyEvent, toStoredKey } from '../account/api-key-use-cases.ts';
import type { ListPart } from '../platform/database/database.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { applyLoginRules, type LoginDecision } from './login-rule.ts';
import { findMissingCommit, type TokenRejection, toProven, type WorkflowIdentity } from './workflow-identity.ts';

export interface LoginCommand {
  readonly org: string;
  readonly token: string;
  /** The audience that the token must have: the service's address. */
  readonly audience: string;
}

export type LoginResult =
  | { readonly outcome: 'logged in'; readonly key: string; readonly stored: StoredKey; readonly login: Login }
  | {
      readonly outcome: 'refused';
      readonly identity: WorkflowIdentity;
      /** Empty if no rule names the repository. */
      readonly mismatches: LoginDecision['mismatches'];
    }
  /** All rules that admit the run have given too many keys that are valid. `retryAfter` is in seconds. */
  | { readonly outcome: 'too many keys'; readonly retryAfter: number }
  | TokenRejection;

/**
 * How long expired keys are kept, in seconds: so that an old key is answered with the reason, and so that the token of a
 * key is not accepted again. With the key's own life that is longer than a token is accepted.
 */
const keptAfterExpiry = 3600;

const unnamedIssuer = 'comes from an issuer that no login rule of the organization names';

const usedBefore = 'was exchanged for a key before; request a new token for each login';

/** How many expired keys are deleted when one is added: enough for the table to shrink. */
const deletedPerLogin = 4;

/** Exchanges the identity token of a workflow run, once, for a key that lives 15 minutes. */
export async function logIn(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes' | 'loadTokenVerifier' | 'findRunCommit'>,
  { org, token, audience }: LoginCommand,
): Promise<LoginResult> {
  const { storage } = dependencies;
  const verifier = await dependencies.loadTokenVerifier();
  const issuer = verifier.readIssuer(token);
  if (issuer === undefined) return { outcome: 'unproven', reason: 'is not a JWT with an issuer' };
  const named = await storage.read(({ loginRules }) => loginRules.listRepositoryIds(org, issuer));
  const unnamed = { outcome: 'unproven', reason: unnamedIssuer } as const;
  // Only issuers that an admin named are asked for their keys. One that was asked before is asked for every
  // organization: if only some were answered that it is unavailable, that would tell which ones name it.
  if (named.length === 0 && !verifier.isKnownIssuer(issuer)) return unnamed;
  const verified = await verifier.verify(token, { issuer, audience });
  if (verified.outcome === 'issuer unavailable') return verified;
  if (named.length === 0) return unnamed;
  if (verified.outcome === 'invalid' && !named.some((id) => id === verified.repositoryId)) {
    return { outcome: 'unproven', reason: verified.reason };
  }
  if (verified.outcome !== 'valid') return verified;
  const { identity, tokenId } = verified;
  const createdAt = unixSeconds(dependencies.now());
  const key = newLoginKey([issuer, tokenId], dependencies.randomBytes);
  const headCommit = await findMissingCommit(org, identity, dependencies.findRunCommit);
  return storage.transaction(org, (transaction) => admit(transaction, { org, identity, headCommit, key, createdAt }));
}

interface Admission {
  readonly org: string;
  readonly identity: WorkflowIdentity;
  /** The head commit of the run, if its token does not name it and GitHub does. */
  readonly headCommit: string | undefined;
  readonly key: ApiKey;
  readonly createdAt: number;
}

/** Gives the run a key, if the rules as they are now admit it. */
async function admit(
  { loginRules, accounts, auditLog }: WriteTransaction,
  { org, identity, headCommit, key, createdAt }: Admission,
): Promise<LoginResult> {
  const { rules, mismatches } = applyLoginRules(await loginRules.list(org), identity);
  if (rules.length === 0) return { outcome: 'refused', identity, mismatches };
  const { repository, run_id: run, run_attempt: attempt } = identity;
  // One rule with room is enough: the keys of another must not keep the run out.
  const counts = await accounts.countRuleKeys(org, repository, createdAt);
  if (rules.every((rule) => (counts.get(rule) ?? 0) >= maximumLoginKeys)) {
    return { outcome: 'too many keys', retryAfter: 60 };
  }
  const login = { rules, proven: toProven(identity, headCommit) };
  const stored = toStoredKey(key, {
    ...{ org, ownerKind: 'workflow', owner: repository, isLimitedToOrg: true, login },
    description: `Run ${run}, attempt ${attempt}`,
    createdAt,
    expiresAt: createdAt + loginKeyLifetime,
  });
  if ((await accounts.insertKey(stored)) === 'exists') {
    return { outcome: 'invalid', reason: usedBefore, repositoryId: identity.repository_id };
  }
  await accounts.deleteExpiredLoginKeys(org, createdAt - keptAfterExpiry, deletedPerLogin);
  await auditLog.append({
    ...{ org, type: 'login', at: createdAt, actor: actorName(stored), subject: `key ${stored.id}` },
    details: describeLogin(login),
  });
  return { outcome: 'logged in', key: formatApiKey(key), stored, login };
}

function describeLogin({ rules, proven }: Login): Readonly<Record<string, string>> {
  const { run_id, run_attempt, event_name, ref, workflow_ref = '', actor = '' } = proven;
  return { rules: rules.join(', '), run_id, run_attempt, event_name, ref, workflow_ref, actor };
}

/** Lists valid keys of workflow runs, the latest first, with the number of all. */
export function listLoginKeys(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, part }: { readonly org: string; readonly part: ListPart },
): Promise<{ readonly keys: readonly StoredKey[]; readonly total: number }> {
  const time = unixSeconds(now());
  return storage.read(async ({ accounts }) => ({
    keys: await accounts.listLoginKeys(org, time, part),
    total: await accounts.countLoginKeys(org, time),
  }));
}

export const revokeLoginKey = defineWrite(
  async (
    { accounts, auditLog },
    { org, id, by }: { readonly org: string; readonly id: string } & ChangeAuthor,
    { at },
  ): Promise<'revoked' | 'key not found'> => {
    const key = await accounts.findKey(id);
    if (key?.org !== org || key.ownerKind !== 'workflow' || key.expiresAt <= at || key.revokedAt !== undefined) {
      return 'key not found';
    }
    await accounts.revokeKey(org, id, at);
    await auditLog.append(toKeyEvent('key_revoked', key, { by, at }));
    return 'revoked';
  },
);
