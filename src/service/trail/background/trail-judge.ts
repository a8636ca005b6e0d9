import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import { WakingLoop, type WakingLoopDependencies } from '../../platform/background/waking-loop.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Judging } from '../../platform/judging/judging.ts';
import { judgeMarked } from '../trail-verdict-use-cases.ts';

interface Dependencies extends WakingLoopDependencies {
  readonly storage: Storage;
  readonly judging: Judging;
  readonly now: Now;
}

/** Looks for marked trails at least this often, in milliseconds: other processes mark some, too. */
const lookAgainDelay = 10_000;

/**
 * Judges trails again whose verdict may have changed, in small transactions. Transactions of an organization run one after
 * the other, in all processes, so each trail is judged once. Wake it after the clock was set.
 */
export function startTrailJudge(dependencies: Dependencies): WakingLoop {
  const { storage, judging, now } = dependencies;
  const look = async (): Promise<number | 'more'> => {
    const at = unixSeconds(now());
    const { org, next } = await storage.read(async ({ trails }) => ({
      org: await trails.findOrgToRejudge(at),
      next: await trails.findNextRejudging(at),
    }));
    if (org === undefined)
      return next === undefined ? lookAgainDelay : Math.min(Math.ceil((next - at) * 1000), lookAgainDelay);
    await judging.turns.next();
    await storage.transaction(org, (transaction) => judgeMarked(transaction, org, at), { mayExceedQuotas: true });
    return 'more';
  };
  return new WakingLoop(dependencies, { look, failure: 'verdicts on trails could not be updated; trying again' });
}
