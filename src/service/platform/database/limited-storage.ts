import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import { type Quotas, requireQuotas } from '../../organization/quota.ts';
import type { Storage } from './storage.ts';

/** Rolls back transactions of an organization that exceed its quotas: they throw a QuotaExceededError. */
export function limitStorage(storage: Storage, quotas: Quotas, now: Now): Storage {
  return {
    read: (work) => storage.read(work),
    transaction: (scope, work, options = {}) =>
      storage.transaction(
        scope,
        async (transaction) => {
          if (typeof scope !== 'string' || options.mayExceedQuotas === true) return work(transaction);
          const at = unixSeconds(now());
          const before = await transaction.usage.find(scope, at);
          const result = await work(transaction);
          requireQuotas(quotas, scope, before, await transaction.usage.find(scope, at));
          return result;
        },
        options,
      ),
    onCommit: (listener) => {
      storage.onCommit(listener);
    },
    probe: (bytes) => storage.probe(bytes),
    close: () => storage.close(),
  };
}
