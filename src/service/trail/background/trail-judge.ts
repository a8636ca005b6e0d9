import { unixSeconds, type After, type Now } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { WakingLoop } from '../../platform/background/waking-loop.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Judging } from '../../platform/judging/judging.ts';
import { judgeMarked } from '../trail-verdict-use-cases.ts';

interface Dependencies {
  readonly storage: Storage;
  readonly judging: Judging;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** Looks for marked trails at least this often, in milliseconds: other processes mark some, too. */
const lookAgainDelay = 10_000;
/** The pause after an error, in milliseconds. */
const retryDelay = 30_000;

/**
 * Judges trails again whose verdict may have changed, in small transactions. Transactions of an organization run one after
 * the other, in all processes, so each trail is judged once.
 */
export class TrailJudge {
  readonly #dependencies: Dependencies;
  readonly #loop: WakingLoop;
  #isStopped = false;

  /** Starts immediately. */
  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#loop = new WakingLoop(dependencies, () => this.#judgeAll());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
  }

  /** Call it after the clock was set. */
  clockChanged(): void {
    this.#loop.wake();
  }

  async #judgeAll(): Promise<number> {
    const { storage, judging, now, log } = this.#dependencies;
    try {
      for (;;) {
        const at = unixSeconds(now());
        const { org, next } = await storage.read(async ({ trails }) => ({
          org: await trails.findOrgToRejudge(at),
          next: await trails.findNextRejudging(at),
        }));
        if (org === undefined || this.#isStopped)
          return next === undefined ? lookAgainDelay : Math.min(Math.ceil((next - at) * 1000), lookAgainDelay);
        await judging.turns.next();
        const options = { mayExceedQuotas: true };
        await storage.transaction(org, (transaction) => judgeMarked(transaction, org, at), options);
      }
    } catch (error) {
      log.error('verdicts on trails could not be updated; trying again', error);
      return retryDelay;
    }
  }
}
