import type { Role } from '../../contract/role.ts';
import type { KeyScope } from './access.ts';

/** Who can own a key. Every time is in Unix seconds, with a fraction. */

/**
 * A user as a member of an organization. A name is one user of the whole service: the same name means the same user in
 * every organization, and a user can be a member of several, with a role in each.
 */
export interface Member {
  readonly org: string;
  readonly user: string;
  readonly role: Role;
  readonly createdAt: number;
}

/** An organization that a user is a member of. */
export interface Membership {
  readonly org: string;
  readonly role: Role;
  /** Whether it is the default organization of the user; at most one is. */
  readonly isDefault: boolean;
}

/** A machine identity of an organization (interface, Service account). */
export interface ServiceAccountRecord {
  readonly org: string;
  readonly name: string;
  readonly displayName: string;
  readonly privilege: Role;
  readonly description: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly forWebhook: boolean;
}

/** An API key as it is stored: without its secret. What it may do is its owner's role, looked up when it is used. */
export interface StoredKey extends KeyScope {
  readonly id: string;
  readonly owner: string;
  readonly description: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: number;
  /** From then on it opens nothing; undefined where it is good for ever. */
  readonly expiresAt?: number | undefined;
  /** When it was revoked; undefined while it opens doors. */
  readonly revokedAt?: number | undefined;
}
