import type { AuditEventType } from '../../contract/audit-log.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import { defineAdministeredWrite } from '../organization/administrator-use-cases.ts';
import { defineWrite, type WriteContext } from '../platform/judging/define-write.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { actorName } from './access.ts';
import type { StoredKey } from './account.ts';
import type { AccountKind, AccountReader, AccountWriter, KeyWithUse } from './account-records.ts';
import { type ApiKey, formatApiKey, hashSecret, newApiKey } from './api-key.ts';
import { toDefaultExpiry, toSuccessorExpiry } from './key-lifetime.ts';

/** The owner of keys: a member or a service account of an organization. */
export interface KeyOwner {
  readonly org: string;
  readonly ownerKind: AccountKind;
  readonly owner: string;
}

export interface KeyDetails {
  readonly description?: string | undefined;
  /** In Unix seconds; undefined for the default lifetime. */
  readonly expiresAt?: number | undefined;
}

export interface CreatedKey {
  readonly outcome: 'created';
  /** As its owner sends it; shown once and never stored. */
  readonly key: string;
  readonly stored: StoredKey;
}

/** Who changes something (`actorName`, or `operatorActor`), for the audit log. */
export interface ChangeAuthor {
  readonly by: string;
}

type KeyContext = WriteContext & Pick<UseCaseDependencies, 'randomBytes'>;

/**
 * Creates a key for a member or a service account. It has the role of its owner.
 *
 * @param command `isLimitedToOrg`: whether a personal key opens only this organization
 */
export const createKey = defineWrite(
  async (
    { accounts, auditLog },
    {
      org,
      ownerKind,
      owner,
      by,
      expiresAt,
      ...details
    }: KeyOwner & KeyDetails & ChangeAuthor & Pick<StoredKey, 'isLimitedToOrg'>,
    { at: createdAt, randomBytes }: KeyContext,
  ): Promise<CreatedKey | { readonly outcome: 'owner not found' }> => {
    const key = newApiKey(randomBytes);
    if ((await accounts.findRole(org, ownerKind, owner)) === undefined) return { outcome: 'owner not found' };
    const ends = expiresAt ?? toDefaultExpiry(createdAt);
    const stored = toStoredKey(key, { org, ownerKind, owner, createdAt, expiresAt: ends, ...details });
    await insertKey(accounts, stored);
    await auditLog.append(toKeyEvent('key_created', stored, { by, at: createdAt }));
    return { outcome: 'created', key: formatApiKey(key), stored };
  },
);

/** Lists the keys of an owner that are not revoked, oldest first; undefined if there is no such owner. */
export async function listKeys(
  accounts: AccountReader,
  { org, ownerKind, owner }: KeyOwner,
): Promise<readonly KeyWithUse[] | undefined> {
  const role = await accounts.findRole(org, ownerKind, owner);
  return role === undefined ? undefined : accounts.listKeys(org, ownerKind, owner);
}

export interface KeyReference extends KeyOwner {
  readonly id: string;
}

/** A key that was not found, or whose owner does not exist. */
export type KeyMissing = 'owner not found' | 'key not found';

export async function findKey(accounts: AccountReader, reference: KeyReference): Promise<KeyWithUse | KeyMissing> {
  const keys = await listKeys(accounts, reference);
  if (keys === undefined) return 'owner not found';
  return keys.find(({ id }) => id === reference.id) ?? 'key not found';
}

type RotateKeyResult =
  | (CreatedKey & {
      /** When the previous key expires, in Unix seconds. */
      readonly graceEndsAt: number;
    })
  | { readonly outcome: KeyMissing };

/**
 * Replaces a key by a new one of the same owner. The previous key works for the grace period, but not longer than
 * before. Without an expiry time, the new key gets the lifetime that the previous one was created with, but not a longer
 * one than any key may have. A key can be rotated again, for example if the answer with its successor was lost.
 *
 * @param command `grace`: in seconds
 */
export const rotateKey = defineWrite(
  async (
    { accounts, auditLog },
    {
      grace,
      expiresAt,
      by,
      ...reference
    }: KeyReference & ChangeAuthor & { readonly grace: number } & Pick<KeyDetails, 'expiresAt'>,
    { at: createdAt, randomBytes }: KeyContext,
  ): Promise<RotateKeyResult> => {
    const key = newApiKey(randomBytes);
    const previous = await findKey(accounts, reference);
    if (typeof previous === 'string') return { outcome: previous };
    const graceEndsAt = Math.min(createdAt + grace, previous.expiresAt);
    await accounts.shortenKeyLife(previous.org, previous.id, graceEndsAt);
    const { org, ownerKind, owner, isLimitedToOrg, description } = previous;
    const stored = toStoredKey(key, {
      ...{ org, ownerKind, owner, isLimitedToOrg, description, createdAt },
      expiresAt: expiresAt ?? toSuccessorExpiry(previous, createdAt),
    });
    await insertKey(accounts, stored);
    const event = toKeyEvent('key_rotated', previous, { by, at: createdAt });
    await auditLog.append({ ...event, details: { ...event.details, replaced_by: `key ${stored.id}` } });
    return { outcome: 'created', key: formatApiKey(key), stored, graceEndsAt };
  },
);

/** Revokes a key, unless it is the last valid key of an admin. */
export const revokeKey = defineAdministeredWrite(
  async (
    { accounts, auditLog },
    { by, ...reference }: KeyReference & ChangeAuthor,
    at,
  ): Promise<'revoked' | KeyMissing> => {
    const found = await findKey(accounts, reference);
    if (typeof found === 'string') return found;
    await accounts.revokeKey(reference.org, reference.id, at);
    await auditLog.append(toKeyEvent('key_revoked', found, { by, at }));
    return 'revoked';
  },
);

/** @throws Error if its id is taken, which is practically impossible with random ids. */
export async function insertKey(accounts: AccountWriter, key: StoredKey): Promise<void> {
  if ((await accounts.insertKey(key)) === 'exists') throw new Error(`two new keys have the same id ${key.id}`);
}

export function toKeyEvent(
  type: AuditEventType,
  { org, id, ownerKind, owner, description }: Pick<StoredKey, 'org' | 'id' | 'ownerKind' | 'owner' | 'description'>,
  { by, at }: ChangeAuthor & Pick<AuditEvent, 'at'>,
): AuditEvent {
  const details = {
    owner: actorName({ ownerKind, owner }),
    description: truncate(description, maximumShownDescription),
  };
  return { org, type, at, actor: by, subject: `key ${id}`, details };
}

/**
 * The events of the audit log about keys that are revoked because of something else.
 *
 * @param event `cause`: a sentence without a period
 */
export function toRevocations(
  ids: readonly string[],
  { org, by, at, cause, ...owner }: KeyOwner & ChangeAuthor & Pick<AuditEvent, 'at'> & { readonly cause: string },
): readonly AuditEvent[] {
  const details = { owner: actorName(owner), cause };
  return ids.map((id) => ({ org, type: 'key_revoked', at, actor: by, subject: `key ${id}`, details }));
}

/** In characters. */
const maximumShownDescription = 200;

type KeyOwnership = Omit<StoredKey, 'id' | 'secretHash' | 'description' | 'revokedAt'> &
  Pick<KeyDetails, 'description'>;

/** Converts a new key to its stored form, with a hash instead of the secret. */
export function toStoredKey({ id, secret }: ApiKey, { description = '', ...ownership }: KeyOwnership): StoredKey {
  return { ...ownership, id, description, secretHash: hashSecret(secret) };
}
