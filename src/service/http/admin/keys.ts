import type { Static } from '../../../contract/schema.ts';
import type { Role } from '../../../contract/role.ts';
import type { OwnerKind } from '../../domain/access.ts';
import { formatApiKey, hashSecret, newApiKey } from '../../domain/api-key.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { Dependencies } from '../dependencies.ts';
import type { createdKey } from './endpoints.ts';

/** Whose key is made, and what is said of it. */
export interface KeyRequest {
  readonly org: string;
  readonly ownerKind: OwnerKind;
  readonly owner: string;
  readonly role: Role;
  readonly description?: string | undefined;
  readonly expires_at?: number | undefined;
}

/** Makes a key and answers it as it is shown this once; undefined if its owner is gone by now. */
export async function issueKey(
  { store, now, randomBytes }: Dependencies,
  { org, ownerKind, owner, role, description = '', expires_at: expiresAt }: KeyRequest,
): Promise<Static<typeof createdKey> | undefined> {
  const key = newApiKey(randomBytes);
  const createdAt = unixSeconds(now());
  const secretHash = hashSecret(key.secret);
  const outcome = await store.addKey({
    org,
    id: key.id,
    ownerKind,
    owner,
    isLimitedToOrg: false,
    description,
    secretHash,
    createdAt,
    expiresAt,
  });
  if (outcome === 'exists') throw new Error(`two new keys got the id ${key.id}`);
  if (outcome === 'owner not found') return undefined;
  const organizations = ownerKind === 'user' ? await store.listOrganizations(owner) : [org];
  const shown = { id: key.id, key: formatApiKey(key), owner, role, organizations: [...organizations], description };
  return { ...shown, created_at: createdAt, expires_at: expiresAt ?? null };
}
