import { createHash } from 'node:crypto';
import { allOrganizations, concurrent, type TransactionScope } from '../storage.ts';

/** The first key of the advisory locks of the service, so that they are not those of another program. */
const lockSpace = 0x636f6d70;

/** Waits until no transaction of an organization is running, and lets none begin until this transaction ends. */
export const lockAllOrganizations = `SELECT pg_advisory_xact_lock(${lockSpace}, 0);`;

/** Transactions of organizations share the lock that one of all organizations needs for itself. */
const shareAllOrganizations = `SELECT pg_advisory_xact_lock_shared(${lockSpace}, 0);`;

export function lockStatement(scope: TransactionScope): string {
  if (scope === concurrent) return '';
  if (scope === allOrganizations) return lockAllOrganizations;
  return `${shareAllOrganizations} SELECT pg_advisory_xact_lock(${toLockKey(scope)});`;
}

/** The key of an organization's lock, which is a bigint. Organizations that share a key only wait for each other. */
function toLockKey(org: string): string {
  return String(createHash('sha256').update(org).digest().readBigInt64BE());
}
