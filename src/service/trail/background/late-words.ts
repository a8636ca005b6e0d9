import type { After } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { WakingLoop } from '../../platform/background/waking-loop.ts';
import type { Storage } from '../../platform/database/storage.ts';

/** How many trails are indexed in a transaction. */
const batchTrails = 50;

/** How long to wait after a failure, and at most if there is nothing to do, in milliseconds. */
const retryDelay = 30_000;
const idleDelay = 3_600_000;

/** After an upgrade, indexes the words of older trails, the latest first. The next start continues after a stop. */
export class LateWords {
  readonly #dependencies: { readonly storage: Storage; readonly after: After; readonly log: ServiceLog };
  readonly #loop: WakingLoop;
  #isStopped = false;

  constructor(dependencies: { readonly storage: Storage; readonly after: After; readonly log: ServiceLog }) {
    this.#dependencies = dependencies;
    // Only an upgrade leaves work, so commits do not wake it.
    this.#loop = new WakingLoop({ ...dependencies, storage: { onCommit: () => undefined } }, () => this.#addAll());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
  }

  async #addAll(): Promise<number> {
    const { storage, log } = this.#dependencies;
    try {
      for (;;) {
        const org = (await storage.read(({ search }) => search.findBacklog()))?.org;
        if (org === undefined || this.#isStopped) return idleDelay;
        await storage.transaction(
          org,
          async ({ search }) => {
            // Another process may have continued.
            const backlog = await search.findBacklog(org);
            if (backlog?.org === org) await search.addOlder(backlog, batchTrails);
          },
          { mayExceedQuotas: true },
        );
      }
    } catch (error) {
      log.error('older trails could not be prepared for the search; trying again', error);
      return retryDelay;
    }
  }
}
