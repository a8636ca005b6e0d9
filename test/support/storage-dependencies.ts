import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/runtime/clock.ts';
import type { StorageDependencies } from '../../src/service/platform/database/storage.ts';

/** The dependencies of a storage with the real clock, and without a log. */
export function storageDependencies(change: Partial<StorageDependencies> = {}): StorageDependencies {
  return {
    now: () => systemClock.now(),
    monotonic: () => performance.now(),
    after: (milliseconds, fire) => systemClock.after(milliseconds, fire),
    randomBytes: (size) => randomBytes(size),
    log: { info: () => undefined, error: () => undefined },
    ...change,
  };
}
