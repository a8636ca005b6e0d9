import { unixSeconds, type After, type Now } from '../../../runtime/clock.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { expiryWarningPeriod, renderExpiry } from '../key-lifetime.ts';
import type { AdministrationEnd } from '../account-records.ts';
import type { Storage } from '../../platform/database/storage.ts';

/** How often the operator is warned, in milliseconds. */
const interval = 12 * 3_600_000;

const maximumLines = 20;

interface Dependencies {
  readonly storage: Pick<Storage, 'read'>;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/**
 * Warns the operator, in the log, of organizations whose admins have no valid key, or only keys that expire soon.
 * Without a valid key of an admin, only the operator can create keys.
 */
export class AdministrationWatch {
  readonly #dependencies: Dependencies;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Checks now, whenever one of these keys expires, and twice a day. Never rejects: an error is logged. */
  start(): Promise<void> {
    this.#looking = this.#look();
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { storage, now, after, log } = this.#dependencies;
    const time = unixSeconds(now());
    const period = { from: time - expiryWarningPeriod, until: time + expiryWarningPeriod };
    let ends: readonly AdministrationEnd[] = [];
    try {
      ends = await storage.read(({ accounts }) => accounts.listAdministrationEnds(period, maximumLines + 1));
    } catch (error) {
      log.info(`keys of admins that expire soon could not be found: ${errorMessage(error)}`);
    }
    for (const end of ends.slice(0, maximumLines)) log.info(describe(end, time));
    if (ends.length > maximumLines)
      log.info('the keys of the admins of further organizations expire soon or have expired');
    if (this.#isStopped) return;
    // A second later, because timers may fire early.
    const next = ends.filter(({ at }) => at > time).map(({ at }) => Math.ceil((at - time + 1) * 1000));
    this.#cancel = after(Math.min(interval, ...next), () => void this.start());
  }
}

function describe({ org, at }: AdministrationEnd, now: number): string {
  const remedy = `npm run service -- create-key --org ${org}`;
  return at <= now
    ? `nobody can administer organization ${org}: the last key of its admins expired on ${renderExpiry(at)}; ` +
        `create a new one with: ${remedy}`
    : `the last valid key of the admins of organization ${org} expires on ${renderExpiry(at)}; an admin should create ` +
        `a new one before, and from then on only the operator can, with: ${remedy}`;
}
