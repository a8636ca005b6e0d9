import type { Proven } from '../../contract/proven.ts';
import type { Role } from '../../contract/role.ts';
import type { KeyScope } from './access.ts';

/** Owners of keys. All times are in Unix seconds, with a fraction. */

/**
 * A user's membership in an organization. User names are global: the same name is the same user in every organization.
 * A user can be a member of several organizations, with a role in each.
 */
export interface Member {
  readonly org: string;
  readonly user: string;
  readonly role: Role;
  readonly createdAt: number;
}

export interface Membership {
  readonly org: string;
  readonly role: Role;
  /** Whether it is the user's default organization; at most one is. */
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

/** Why a workflow run has its key, and what it proved. */
export interface Login {
  /**
   * The names of the login rules that admitted the run. The key permits what they give: a key is revoked if one of them is
   * changed or deleted.
   */
  readonly rules: readonly string[];
  readonly proven: Proven;
}

/**
 * A stored API key, without its secret. Its permissions are those of its owner's role, looked up whenever it is used,
 * or those of its login.
 */
export interface StoredKey extends KeyScope {
  readonly id: string;
  readonly owner: string;
  readonly description: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it would expire if it had not been rotated; undefined if it was not. */
  readonly originalExpiresAt?: number | undefined;
  /** Only for keys of workflow runs. */
  readonly login?: Login | undefined;
  readonly revokedAt?: number | undefined;
}
