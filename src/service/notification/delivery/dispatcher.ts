import { randomUUID } from 'node:crypto';
import type { NotificationTarget } from '../../../contract/notification.ts';
import { type After, type Now, sleep, unixSeconds } from '../../../runtime/clock.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { WakingLoop } from '../../platform/background/waking-loop.ts';
import { concurrent, type Storage } from '../../platform/database/storage.ts';
import { LimitedLog } from '../../platform/limited-log.ts';
import { withDeadline } from '../../platform/network/deadline.ts';
import { toSingleLine } from '../../platform/single-line.ts';
import type { DeliveryReader } from '../delivery-records.ts';
import { completeDelivery, distributeBroadcast, failDelivery } from '../delivery-use-cases.ts';
import {
  type Delivery,
  type DueTarget,
  isStale,
  redactAddress,
  retryDelay,
  type TargetReference,
} from '../notification.ts';
import { DeliverySchedule } from './delivery-schedule.ts';
import type { SendNotification } from './send-notification.ts';

export interface DispatcherDependencies {
  readonly storage: Storage;
  readonly send: SendNotification;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** How long a delivery may take, from the DNS lookup to the response, in milliseconds. */
const timeout = 20_000;
/** The pause after an error of the storage, in milliseconds. */
const retryDelayAfterError = 10_000;
/** Looks into the outbox at least this often, in milliseconds: other processes write, too, and their claims expire. */
const lookAgainDelay = 10_000;
/** How many organizations' broadcasts are distributed at the same time. Each waits for other writes of its organization. */
const maximumDistributions = 4;

/**
 * Distributes broadcasts to the queues of their targets, in portions that take turns with other writes, and delivers the
 * notifications of the queues: in order for each target, and to several targets concurrently, which
 * `DeliverySchedule` chooses. Several processes may deliver: each claims its targets. A delivery is removed after its
 * target has accepted it, so a stop or crash in between repeats it (at-least-once delivery). Wakes up on writes of this
 * process, when the next delivery is due, and regularly.
 */
export class Dispatcher {
  readonly #dependencies: DispatcherDependencies;
  readonly #stopping = new AbortController();
  /** Identifies this process among those that deliver. */
  readonly #claimant = randomUUID();
  readonly #schedule = new DeliverySchedule();
  readonly #active = new Set<Promise<void>>();
  /** The organizations whose broadcasts are being distributed. */
  readonly #distributing = new Set<string>();
  /** The organization that had the latest turn: they take turns in the order of their names. */
  #latestTurn = '';
  readonly #failures: LimitedLog;
  readonly #loop: WakingLoop;
  /** Whether the clock may have been set back since the due times were saved. It may have been before the start. */
  #isClockChanged = true;

  /** Starts immediately. */
  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
    this.#failures = new LimitedLog(
      dependencies,
      (count) => `${count} more failed deliveries were not logged separately`,
    );
    this.#loop = new WakingLoop(dependencies, {
      look: () => this.#start(),
      failure: 'the pending notifications could not be read',
    });
  }

  /** Aborts the current deliveries, which are repeated after the next start, and stops. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await Promise.all(this.#active);
    this.#failures.stop();
  }

  /** Call it after the clock was set: recomputes what is due. */
  clockChanged(): void {
    this.#isClockChanged = true;
    this.#loop.wake();
  }

  /** Starts the due deliveries. Returns the time until the next one, in milliseconds. */
  async #start(): Promise<number> {
    const { storage, now } = this.#dependencies;
    try {
      const time = unixSeconds(now());
      if (this.#isClockChanged) {
        this.#isClockChanged = false;
        await storage.transaction(concurrent, ({ deliveries }) => deliveries.rearm(time));
      }
      const limit = this.#schedule.isFull ? 0 : this.#schedule.offersPerOrganization;
      const { targets, next, org } = await storage.read(async ({ deliveries }) => ({
        targets: limit === 0 ? [] : await deliveries.listDue({ now: time, limit, claimant: this.#claimant }),
        next: await deliveries.findNextDue(time),
        org: await this.#findUndistributed(deliveries),
      }));
      if (org !== undefined) this.#distribute(org);
      if (!this.#stopping.signal.aborted) for (const target of this.#schedule.take(targets)) this.#begin(target);
      // Everything else that is due is in flight, or waits for the end of a delivery, which wakes the loop.
      const wait = next === undefined ? lookAgainDelay : Math.ceil((next - time) * 1000);
      return Math.min(wait, lookAgainDelay);
    } catch (error) {
      this.#isClockChanged = true;
      throw error;
    }
  }

  /** The organization whose turn it is to have a broadcast distributed. */
  async #findUndistributed(deliveries: DeliveryReader): Promise<string | undefined> {
    if (this.#distributing.size >= maximumDistributions) return undefined;
    const except = [...this.#distributing];
    return (
      (await deliveries.findBroadcastOrg(this.#latestTurn, except)) ?? (await deliveries.findBroadcastOrg('', except))
    );
  }

  /** Starts the next portion of an organization's first broadcast. */
  #distribute(org: string): void {
    if (this.#stopping.signal.aborted) return;
    const { storage, log } = this.#dependencies;
    this.#latestTurn = org;
    this.#distributing.add(org);
    const work = distributeBroadcast({ storage }, { org })
      .catch((error: unknown) => {
        log.error(`notifications of ${org} could not be added to the outbox; this is tried again`, error);
        return this.#pause(retryDelayAfterError);
      })
      .finally(() => {
        this.#distributing.delete(org);
        this.#active.delete(work);
        this.#loop.wake();
      });
    this.#active.add(work);
    // Another organization may have a broadcast, too.
    this.#loop.wake();
  }

  #begin(target: DueTarget): void {
    const work = this.#attempt(target).finally(() => {
      this.#schedule.release(target);
      this.#active.delete(work);
      this.#loop.wake();
    });
    this.#active.add(work);
  }

  /** Never rejects. */
  async #attempt(target: DueTarget): Promise<void> {
    const { storage, now, log } = this.#dependencies;
    const claim = { now: unixSeconds(now()), claimant: this.#claimant };
    try {
      const delivery = await storage.transaction(concurrent, ({ deliveries }) => deliveries.claim(target, claim));
      if (delivery !== undefined) await this.#carryOut(delivery);
    } catch (error) {
      log.error(
        'a notification could not be claimed, or the result of its delivery could not be saved; it will be delivered again',
        error,
      );
      // Prevents the same delivery from being sent repeatedly while the storage cannot be written.
      await this.#pause(retryDelayAfterError);
      await this.#release(target);
    }
  }

  /** Sends a delivery and records the result, unless the dispatcher stops. */
  async #carryOut(delivery: Delivery): Promise<void> {
    const { storage, now } = this.#dependencies;
    const fault = await this.#send(delivery);
    const time = unixSeconds(now());
    if (fault === 'stopped') await this.#release(delivery);
    else if (fault === undefined) await completeDelivery({ storage }, { delivery, at: time });
    else await this.#postpone(delivery, time, fault);
  }

  /** Never rejects: a claim that cannot be released expires, and does not hinder this process. */
  async #release(target: TargetReference): Promise<void> {
    await this.#dependencies.storage
      .transaction(concurrent, ({ deliveries }) => deliveries.release(target, this.#claimant))
      .catch(() => undefined);
  }

  /** Returns undefined if the target accepted the delivery, else the reason. */
  async #send(delivery: Delivery): Promise<string | undefined> {
    const { send, after } = this.#dependencies;
    const { signal } = this.#stopping;
    try {
      await withDeadline({ after, signal }, timeout, (ended) => send(delivery, ended));
      return undefined;
    } catch (error) {
      return signal.aborted ? 'stopped' : describeFailure(error, delivery.target);
    }
  }

  async #postpone(delivery: Delivery, time: number, fault: string): Promise<void> {
    const { storage } = this.#dependencies;
    const { org, number, target, event, attempts } = delivery;
    const where = target.type === 'EMAIL' ? target.recipients.join(', ') : redactAddress(target.webhook);
    const isDropped = isStale(event, time, attempts + 1);
    // Others that are too old follow soon, but not all at once: the clock may be wrong for a minute.
    const wait = retryDelay(isDropped ? 1 : attempts + 1);
    const next = isDropped ? 'too old, dropped' : `next attempt in ${wait} s`;
    this.#failures.info(`notification ${number} of ${org} to ${where}: ${fault}; ${next}`);
    const failure = { reason: fault, at: time, until: time + wait };
    await failDelivery({ storage }, { delivery, failure, isDropped });
  }

  /** Waits, unless the dispatcher stops. */
  #pause(milliseconds: number): Promise<void> {
    return sleep(this.#dependencies, milliseconds, this.#stopping.signal).catch(() => undefined);
  }
}

/** Why a delivery failed, on one line. Hides the path of a webhook URL, which is a secret. */
function describeFailure(error: unknown, target: NotificationTarget): string {
  const words = errorMessage(error);
  if (target.type === 'EMAIL') return toSingleLine(words);
  const { pathname = '/', search = '' } = URL.parse(target.webhook) ?? {};
  const secrets = [target.webhook, pathname + search, pathname].filter((secret) => secret.length > 1);
  return toSingleLine(secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words));
}
