import type { Role } from '../../contract/role.ts';
import type { StoredKey } from '../domain/accounts.ts';
import type { Source } from './sources.ts';
import { VersionedCache } from './versioned-cache.ts';

/** The maximum number of values of each kind that are cached. */
const maximumWeight = 10_000;

/** The records that nearly every request needs. All connections of a process share them. */
export class RecordCaches {
  readonly keys = new VersionedCache<StoredKey>({ maximumWeight });
  /** Of members and service accounts. */
  readonly roles = new VersionedCache<Role>({ maximumWeight });
  /** The existing flows. Every report checks that its flow exists, and most flows get many reports. */
  readonly flows = new VersionedCache<true>({ maximumWeight });
  /** Whether any environment of an organization has a policy. Most evidence concerns none. */
  readonly policed = new VersionedCache<boolean>({ maximumWeight });
}

/** A lookup of a record through a cache. */
export interface CachedLookup<Value> {
  readonly cache: VersionedCache<Value>;
  /** All rows that the value is read from; also its key in the cache. */
  readonly source: Source;
}
