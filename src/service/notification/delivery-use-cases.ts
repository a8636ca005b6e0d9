import type { EnvironmentEvent } from '../environment/environment-event.ts';
import { toMessages } from '../environment/event-digest.ts';
import { isOverdue, type Delivery, type DeliveryFailure, type DueTarget } from './notification.ts';
import type { Claim, DueQuery, ListeningTarget, NewDelivery, WaitingTarget } from './delivery-records.ts';
import type { TargetReference } from './notification-records.ts';
import { allOrganizations, concurrent } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage'>;

/** Converts an environment's events to deliveries: each target gets those with its notification's triggers. */
export function toDeliveries(
  listeners: readonly ListeningTarget[],
  events: readonly EnvironmentEvent[],
): readonly NewDelivery[] {
  const targets = Map.groupBy(listeners, ({ number, position }) => `${number}/${position}`);
  return [...targets.values()].flatMap((listening) => {
    const triggers = new Set(listening.map(({ trigger }) => trigger));
    const wanted = events.filter(({ trigger }) => triggers.has(trigger));
    const [target] = listening;
    if (target === undefined) return [];
    const { org, number, position } = target;
    return toMessages(wanted).map((event) => ({ org, number, position, event }));
  });
}

export interface DueDeliveries {
  /** The targets with a delivery that is due, longest waiting first. */
  readonly targets: readonly DueTarget[];
  /** When the next delivery becomes due; undefined if there is none. */
  readonly next: number | undefined;
}

export function findDueDeliveries({ storage }: Dependencies, query: DueQuery): Promise<DueDeliveries> {
  return storage.read(async ({ deliveries }) => ({
    targets: query.limit === 0 ? [] : await deliveries.listDue(query),
    next: await deliveries.findNextDue(query.now),
  }));
}

/** Claims due targets for a process. Returns those that no other process has claimed. */
export async function claimTargets(
  { storage }: Dependencies,
  targets: readonly DueTarget[],
  claim: Claim,
): Promise<readonly DueTarget[]> {
  if (targets.length === 0) return [];
  return storage.transaction(concurrent, ({ deliveries }) => deliveries.claim(targets, claim));
}

/** Lets other processes deliver to targets that a process has claimed. */
export async function releaseTargets(
  { storage }: Dependencies,
  targets: readonly TargetReference[],
  claimant: string,
): Promise<void> {
  if (targets.length === 0) return;
  await storage.transaction(concurrent, ({ deliveries }) => deliveries.release(targets, claimant));
}

/** Finds the first waiting delivery of a target, in the order of events; undefined if there is none. */
export function findFirstDelivery({ storage }: Dependencies, target: TargetReference): Promise<Delivery | undefined> {
  return storage.read(({ deliveries }) => deliveries.findFirst(target));
}

/**
 * Makes deliveries due now that wait too long because the clock was set back (`isOverdue`). Usually there are none, and
 * nothing is written.
 */
export async function rearmDeliveries({ storage }: Dependencies, { now }: { readonly now: number }): Promise<void> {
  const selectOverdue = (waiting: readonly WaitingTarget[]): readonly WaitingTarget[] =>
    waiting.filter((target) => isOverdue(target, now));
  const found = await storage.read(async ({ deliveries }) => selectOverdue(await deliveries.listDueAfter(now)));
  if (found.length === 0) return;
  await storage.transaction(allOrganizations, async ({ deliveries }) => {
    await deliveries.setDue(selectOverdue(await deliveries.listDueAfter(now)), now);
  });
}

/** Records a success. The next delivery of the target is due immediately. */
export function completeDelivery(
  { storage }: Dependencies,
  { delivery, at }: { readonly delivery: Delivery; readonly at: number },
): Promise<void> {
  return storage.transaction(delivery.org, async ({ deliveries }) => {
    await deliveries.delete(delivery);
    await deliveries.recordSuccess(delivery, at);
  });
}

/** A delivery with its latest failure. */
export interface FailedDelivery {
  readonly delivery: Delivery;
  readonly failure: DeliveryFailure;
}

/** Records a failure; the delivery will be attempted again. */
export function postponeDelivery({ storage }: Dependencies, { delivery, failure }: FailedDelivery): Promise<void> {
  return storage.transaction(delivery.org, ({ deliveries }) => deliveries.recordFailure(delivery, failure));
}

/** Records a failure and drops the delivery. The next delivery of the target waits until the failure's `until`. */
export function dropDelivery({ storage }: Dependencies, { delivery, failure }: FailedDelivery): Promise<void> {
  return storage.transaction(delivery.org, async ({ deliveries }) => {
    await deliveries.delete(delivery);
    await deliveries.recordFailure(delivery, failure);
  });
}
