import { WakingLoop, type WakingLoopDependencies } from '../../platform/background/waking-loop.ts';
import type { Storage } from '../../platform/database/storage.ts';

/** How many trails are indexed in a transaction. */
const batchTrails = 50;

/** How long to wait if there is nothing to do, in milliseconds. Only an upgrade leaves work. */
const idleDelay = 3_600_000;

/** After an upgrade, indexes the words of older trails, the latest first. The next start continues after a stop. */
export function startLateWords({
  storage,
  ...dependencies
}: WakingLoopDependencies & { readonly storage: Storage }): WakingLoop {
  const look = async (): Promise<number | 'more'> => {
    const org = (await storage.read(({ search }) => search.findBacklog()))?.org;
    if (org === undefined) return idleDelay;
    await storage.transaction(
      org,
      async ({ search }) => {
        // Another process may have continued.
        const backlog = await search.findBacklog(org);
        if (backlog?.org === org) await search.addOlder(backlog, batchTrails);
      },
      { mayExceedQuotas: true },
    );
    return 'more';
  };
  const failure = 'older trails could not be prepared for the search; trying again';
  return new WakingLoop({ ...dependencies, storage: undefined }, { look, failure });
}
