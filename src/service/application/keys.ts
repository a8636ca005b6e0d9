import type { StoredKey } from '../domain/accounts.ts';
import { formatApiKey, hashSecret, newApiKey, type ApiKey } from '../domain/api-key.ts';
import type { AccountWriter } from '../storage/accounts.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import type { ServiceAccountReference } from './service-accounts.ts';
import type { UserReference } from './members.ts';
import type { Role } from '../../contract/role.ts';
import { unixSeconds } from '../../runtime/clock.ts';

/** The optional properties of a new key. */
export interface KeyDetails {
  readonly description?: string | undefined;
  /** In Unix seconds; undefined means it never expires. */
  readonly expiresAt?: number | undefined;
}

/** A key that was created. */
export interface CreatedKey {
  readonly outcome: 'created';
  /** As its owner sends it; shown once and never stored. */
  readonly key: string;
  readonly stored: StoredKey;
  readonly role: Role;
  /** The organizations that the key gives access to now. */
  readonly organizations: readonly string[];
}

/** The result of `createUserKey`. */
export type CreateUserKeyResult =
  | CreatedKey
  | { readonly outcome: 'organization not found' | 'user of another organization' }
  /** The user is a member with another role than the requested one. */
  | { readonly outcome: 'another role'; readonly role: Role };

/**
 * Creates a personal key. A user whose name is new to the service becomes a member. A user of another organization must
 * be made a member first, so that two people with the same name are not mistaken for one.
 */
export function createUserKey(
  { storage, now, randomBytes }: Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'>,
  { org, user, role, ...details }: UserReference & KeyDetails & { readonly role: Role },
): Promise<CreateUserKeyResult> {
  const createdAt = unixSeconds(now());
  const key = newApiKey(randomBytes);
  return storage.transaction(async ({ organizations, accounts }) => {
    if (!(await organizations.exists(org))) return { outcome: 'organization not found' };
    const memberships = await accounts.listMemberships(user);
    const member = memberships.find((membership) => membership.org === org);
    if (member !== undefined && member.role !== role) return { outcome: 'another role', role: member.role };
    if (member === undefined && memberships.length > 0) return { outcome: 'user of another organization' };
    if (member === undefined) await accounts.saveMember({ org, user, role, createdAt });
    const stored = toStoredKey(key, { org, ownerKind: 'user', owner: user, createdAt, ...details });
    await insertKey(accounts, stored);
    const opened = member === undefined ? [org] : memberships.map((membership) => membership.org);
    return { outcome: 'created', key: formatApiKey(key), stored, role, organizations: opened };
  });
}

/** Creates a key for a service account. It has the account's role. */
export function createServiceAccountKey(
  { storage, now, randomBytes }: Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'>,
  { org, name, ...details }: ServiceAccountReference & KeyDetails,
): Promise<CreatedKey | { readonly outcome: 'service account not found' }> {
  const createdAt = unixSeconds(now());
  const key = newApiKey(randomBytes);
  return storage.transaction(async ({ accounts }) => {
    const account = await accounts.findServiceAccount(org, name);
    if (account === undefined) return { outcome: 'service account not found' };
    const stored = toStoredKey(key, { org, ownerKind: 'service account', owner: name, createdAt, ...details });
    await insertKey(accounts, stored);
    return {
      outcome: 'created',
      key: formatApiKey(key),
      stored,
      role: account.privilege,
      organizations: [org],
    };
  });
}

/** Revokes a key of the organization. The time of an earlier revocation is kept. */
export function revokeKey(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, id }: { readonly org: string; readonly id: string },
): Promise<'revoked' | 'not found'> {
  const revokedAt = unixSeconds(now());
  return storage.transaction(({ accounts }) => accounts.revokeKey(org, id, revokedAt));
}

/**
 * Stores a new key.
 *
 * @throws Error if its id is taken, which is practically impossible with random ids.
 */
export async function insertKey(accounts: AccountWriter, key: StoredKey): Promise<void> {
  if ((await accounts.insertKey(key)) === 'exists') throw new Error(`two new keys have the same id ${key.id}`);
}

/** The owner of a key and its properties. */
type KeyOwnership = Pick<StoredKey, 'org' | 'ownerKind' | 'owner' | 'createdAt'> & KeyDetails;

/** Converts a new key to its stored form, with a hash instead of the secret. */
export function toStoredKey({ id, secret }: ApiKey, { description = '', ...ownership }: KeyOwnership): StoredKey {
  return { ...ownership, id, isLimitedToOrg: false, description, secretHash: hashSecret(secret) };
}
