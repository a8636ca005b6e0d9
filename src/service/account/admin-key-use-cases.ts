import { unixSeconds } from '../../runtime/clock.ts';
import { operatorActor } from '../audit/audit-event.ts';
import { allOrganizations, type WriteTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { findNameCollision } from '../platform/page-paths.ts';
import type { StoredKey } from './account.ts';
import type { AccountReader } from './account-records.ts';
import { type ApiKey, formatApiKey, newApiKey, secretMatches } from './api-key.ts';
import { type CreatedKey, insertKey, toKeyEvent, toStoredKey } from './api-key-use-cases.ts';
import { expiryWarningPeriod, renderExpiry, toDefaultExpiry } from './key-lifetime.ts';

/** The organization and key to create when the service starts. */
export interface InitialApiKey {
  readonly org: string;
  /** A key chosen by the operator; generated if absent. */
  readonly key?: ApiKey | undefined;
}

type KeyDependencies = Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'>;

export interface EnsuredApiKey {
  /** The key if it was generated: it must be shown to the operator. */
  readonly generated?: string | undefined;
  /** Why the given key no longer works, or will soon stop working, as a predicate: `expired on …`. */
  readonly problem?: string | undefined;
}

/**
 * Ensures that the organization exists and has an admin's key, so that a new service can be used immediately. Repeating
 * it with the same settings changes nothing: a key that has expired is not renewed.
 *
 * @throws Error if the id of the given key belongs to another key, or the name of a new organization is reserved.
 */
export async function ensureInitialApiKey(
  { storage, now, randomBytes }: KeyDependencies,
  { org, key: chosen }: InitialApiKey,
): Promise<EnsuredApiKey> {
  const createdAt = unixSeconds(now());
  const description = 'The first key of the organization';
  const key = chosen ?? newApiKey(randomBytes);
  return storage.transaction(allOrganizations, async ({ organizations, accounts, auditLog }) => {
    const collision = findNameCollision(org);
    const isNew = (await organizations.insert(org, createdAt)) === 'inserted';
    if (isNew && collision !== undefined) throw new Error(`the name ${org} of the organization ${collision}`);
    const known = chosen === undefined ? undefined : await findChosen(accounts, org, chosen);
    if (known !== undefined) return { problem: findProblem(known, createdAt) };
    if (chosen === undefined && (await accounts.hasKeys(org))) return {};
    const user = await chooseAdminUser(accounts, org);
    await addAdminKey({ accounts, auditLog }, { org, user, description, key, createdAt });
    return { generated: chosen === undefined ? formatApiKey(key) : undefined };
  });
}

function findProblem({ revokedAt, expiresAt }: StoredKey, now: number): string | undefined {
  if (revokedAt !== undefined) return `was revoked on ${renderExpiry(revokedAt)}`;
  if (expiresAt > now + expiryWarningPeriod) return undefined;
  return `${expiresAt > now ? 'expires' : 'expired'} on ${renderExpiry(expiresAt)}`;
}

/** @throws Error if the id belongs to another key. */
async function findChosen(
  accounts: AccountReader,
  org: string,
  { id, secret }: ApiKey,
): Promise<StoredKey | undefined> {
  const stored = await accounts.findKey(id);
  if (stored === undefined) return undefined;
  const isSame = stored.org === org && secretMatches(secret, stored.secretHash);
  if (!isSame) throw new Error(`the id ${id} of the first key belongs to another key; choose a different key`);
  return stored;
}

export interface AdminKeyCommand {
  readonly org: string;
  /** The owner of the key; chosen if undefined. */
  readonly user: string | undefined;
  readonly description: string;
}

export type CreateAdminKeyResult =
  | { readonly outcome: 'created'; readonly key: string }
  | { readonly outcome: 'organization not found' }
  /** The user exists and is not an admin of the organization. */
  | { readonly outcome: 'not an admin'; readonly user: string };

/** Creates a key for an admin of the organization. A new user becomes an admin. */
export function createAdminKey(
  { storage, now, randomBytes }: KeyDependencies,
  { org, user, description }: AdminKeyCommand,
): Promise<CreateAdminKeyResult> {
  const createdAt = unixSeconds(now());
  const key = newApiKey(randomBytes);
  return storage.transaction(allOrganizations, async ({ organizations, accounts, auditLog }) => {
    if (!(await organizations.exists(org))) return { outcome: 'organization not found' };
    const owner = user ?? (await chooseAdminUser(accounts, org));
    const memberships = await accounts.listMemberships(owner);
    const isAdmin = memberships.some((membership) => membership.org === org && membership.role === 'admin');
    if (memberships.length > 0 && !isAdmin) return { outcome: 'not an admin', user: owner };
    await addAdminKey({ accounts, auditLog }, { org, user: owner, description, key, createdAt });
    return { outcome: 'created', key: formatApiKey(key) };
  });
}

interface AdminKey {
  readonly org: string;
  readonly user: string;
  readonly description: string;
  readonly key: ApiKey;
  readonly createdAt: number;
}

/** Adds a key for a user, who becomes an admin of the organization unless already a member. */
export async function addAdminKey(
  { accounts, auditLog }: Pick<WriteTransaction, 'accounts' | 'auditLog'>,
  { org, user, description, key, createdAt }: AdminKey,
): Promise<Pick<CreatedKey, 'key' | 'stored'>> {
  if ((await accounts.findMember(org, user)) === undefined) {
    await accounts.saveMember({ org, user, role: 'admin', createdAt });
    const event = {
      org,
      type: 'member_saved',
      at: createdAt,
      actor: operatorActor,
      subject: `member ${user}`,
    } as const;
    await auditLog.append({ ...event, details: { role: 'admin', previous_role: '' } });
  }
  const owner = { org, ownerKind: 'user', owner: user, isLimitedToOrg: false } as const;
  const stored = toStoredKey(key, { ...owner, createdAt, expiresAt: toDefaultExpiry(createdAt), description });
  await insertKey(accounts, stored);
  await auditLog.append(toKeyEvent('key_created', stored, { by: operatorActor, at: createdAt }));
  return { key: formatApiKey(key), stored };
}

/**
 * Chooses the user who owns a key that the operator creates: `admin`, or `admin-2` and so on if that user has another
 * role or is a member of another organization, which the key would give access to as well.
 */
export async function chooseAdminUser(accounts: AccountReader, org: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'admin' : `admin-${number}`;
    const memberships = await accounts.listMemberships(name);
    if (memberships.every((membership) => membership.org === org && membership.role === 'admin')) return name;
  }
}
