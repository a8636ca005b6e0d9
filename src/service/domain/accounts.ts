import type { OwnerKind, Role } from './access.ts';

/** Who can own a key. Every time is in Unix seconds, with a fraction. */

/**
 * A user as a member of an organization. The name means the same person in every organization, and one person can be a
 * member of several.
 */
export interface Member {
  readonly org: string;
  readonly user: string;
  readonly role: Role;
  readonly createdAt: number;
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
export interface StoredKey {
  readonly org: string;
  readonly id: string;
  readonly ownerKind: OwnerKind;
  readonly owner: string;
  readonly description: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: number;
  /** From then on it opens nothing; undefined where it is good for ever. */
  readonly expiresAt?: number | undefined;
  /** When it was revoked; undefined while it opens doors. */
  readonly revokedAt?: number | undefined;
}
