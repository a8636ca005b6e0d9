import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import { WakingLoop, type WakingLoopDependencies } from '../../platform/background/waking-loop.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { AdministrationEnd } from '../account-records.ts';
import { expiryWarningPeriod, renderExpiry } from '../key-lifetime.ts';

/** How often the operator is warned, in milliseconds. */
const interval = 12 * 3_600_000;

const maximumLines = 20;

interface Dependencies extends Omit<WakingLoopDependencies, 'storage'> {
  readonly storage: Pick<Storage, 'read'>;
  readonly now: Now;
}

/**
 * Warns the operator, in the log, of organizations whose admins have no valid key, or only keys that expire soon: now,
 * whenever one of these keys expires, and twice a day. Without a valid key of an admin, only the operator can create keys.
 */
export function startAdministrationWatch({ storage, now, after, log }: Dependencies): WakingLoop {
  const look = async (): Promise<number> => {
    const time = unixSeconds(now());
    const period = { from: time - expiryWarningPeriod, until: time + expiryWarningPeriod };
    const ends = await storage.read(({ accounts }) => accounts.listAdministrationEnds(period, maximumLines + 1));
    for (const end of ends.slice(0, maximumLines)) log.info(describe(end, time));
    if (ends.length > maximumLines)
      log.info('the keys of the admins of further organizations expire soon or have expired');
    // A second later, because timers may fire early.
    const next = ends.filter(({ at }) => at > time).map(({ at }) => Math.ceil((at - time + 1) * 1000));
    return Math.min(interval, ...next);
  };
  const failure = 'keys of admins that expire soon could not be found; trying again';
  return new WakingLoop({ storage: undefined, after, log }, { look, failure });
}

function describe({ org, at }: AdministrationEnd, now: number): string {
  const remedy = `npm run service -- create-key --org ${org}`;
  return at <= now
    ? `nobody can administer organization ${org}: the last key of its admins expired on ${renderExpiry(at)}; ` +
        `create a new one with: ${remedy}`
    : `the last valid key of the admins of organization ${org} expires on ${renderExpiry(at)}; an admin should create ` +
        `a new one before, and from then on only the operator can, with: ${remedy}`;
}
