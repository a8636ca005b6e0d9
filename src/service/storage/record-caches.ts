import type { Role } from '../../contract/role.ts';
import type { StoredKey } from '../domain/accounts.ts';
import type { Flow } from '../domain/records.ts';
import type { Source } from './sources.ts';
import { VersionedCache } from './versioned-cache.ts';

/** The maximum number of values of each kind that are cached, except for flows. */
const maximumWeight = 10_000;

/** In characters of the flows as JSON; in memory they take several times as many bytes. */
const maximumFlowWeight = 4 * 1024 * 1024;

/** The records that nearly every request needs. All connections of a process share them. */
export class RecordCaches {
  readonly keys = new VersionedCache<StoredKey>({ maximumWeight });
  /** Of members and service accounts. */
  readonly roles = new VersionedCache<Role>({ maximumWeight });
  /** Every report and every gate needs its flow, and most flows get many of them. */
  readonly flows = new VersionedCache<Flow>({ maximumWeight: maximumFlowWeight });
  /** Whether any environment of an organization has a policy. Most evidence concerns none. */
  readonly policed = new VersionedCache<boolean>({ maximumWeight });
}

/** A lookup of a record through a cache. */
export interface CachedLookup<Value> {
  readonly cache: VersionedCache<Value>;
  /** All rows that the value is read from; also its key in the cache. */
  readonly source: Source;
  /** The weight of a value in the cache, by default 1. */
  readonly weigh?: (value: Value) => number;
}

/** The weight of a flow in the cache. */
export function weighFlow(flow: Flow): number {
  return JSON.stringify(flow).length;
}
