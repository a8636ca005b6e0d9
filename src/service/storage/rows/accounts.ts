import { isRole, type Role } from '../../../contract/role.ts';
import type { Login, Member, Membership, ServiceAccountRecord, StoredKey } from '../../domain/accounts.ts';
import { number, text, type Row } from '../rows.ts';

/** Reads a column with a role. */
export function toRole(row: Row, column: string): Role {
  const role = text(row, column);
  if (!isRole(role)) throw new TypeError('a stored role is damaged');
  return role;
}

/** Converts a row to a member. */
export function toMember(row: Row): Member {
  return {
    org: text(row, 'org'),
    user: text(row, 'user'),
    role: toRole(row, 'role'),
    createdAt: number(row, 'created_at'),
  };
}

/** Converts a row to a membership. */
export function toMembership(row: Row): Membership {
  return { org: text(row, 'org'), role: toRole(row, 'role'), isDefault: number(row, 'is_default') === 1 };
}

/** Converts a row to a service account. */
export function toServiceAccount(row: Row): ServiceAccountRecord {
  return {
    org: text(row, 'org'),
    name: text(row, 'name'),
    displayName: text(row, 'display_name'),
    privilege: toRole(row, 'privilege'),
    description: text(row, 'description'),
    createdBy: text(row, 'created_by'),
    createdAt: number(row, 'created_at'),
    forWebhook: number(row, 'for_webhook') === 1,
  };
}

/** Converts a row to a key. */
export function toKey(row: Row): StoredKey {
  const [ownerKind, secretHash] = [text(row, 'owner_kind'), row['secret_hash']];
  const known = ownerKind === 'user' || ownerKind === 'service account' || ownerKind === 'workflow';
  if (!known || !(secretHash instanceof Uint8Array)) throw new TypeError('a stored key is damaged');
  return {
    org: text(row, 'org'),
    id: text(row, 'id'),
    ownerKind,
    isLimitedToOrg: number(row, 'is_limited_to_org') === 1,
    owner: text(row, 'owner'),
    description: text(row, 'description'),
    secretHash,
    createdAt: number(row, 'created_at'),
    expiresAt: number(row, 'expires_at'),
    ...(row['original_expires_at'] === null ? {} : { originalExpiresAt: number(row, 'original_expires_at') }),
    // Written by this service.
    ...(row['login'] === null ? {} : { login: JSON.parse(text(row, 'login')) as Login }),
    ...(row['revoked_at'] === null ? {} : { revokedAt: number(row, 'revoked_at') }),
  };
}
