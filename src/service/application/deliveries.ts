import type { EnvironmentEvent } from '../domain/environment-event.ts';
import { toMessages } from '../domain/event-digest.ts';
import { isOverdue, type Delivery, type DeliveryFailure, type DueTarget } from '../domain/notifications.ts';
import type { ListeningTarget, NewDelivery, WaitingTarget } from '../storage/deliveries.ts';
import type { TargetReference } from '../storage/notifications.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage'>;

/** What each target is sent of the events of an environment: its notification fires on some triggers only. */
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

/** What is to be delivered. */
export interface DueDeliveries {
  /** The targets that something is to be delivered to now, those that wait longest first. */
  readonly targets: readonly DueTarget[];
  /** When the next delivery after those becomes due; undefined if none does. */
  readonly next: number | undefined;
}

/**
 * Finds what is to be delivered now.
 *
 * @param limit for each organization, at most so many targets whose latest attempt failed, and as many others
 */
export function findDueDeliveries(
  { storage }: Dependencies,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<DueDeliveries> {
  return storage.read(async ({ deliveries }) => ({
    targets: limit === 0 ? [] : await deliveries.listDue(now, limit),
    next: await deliveries.findNextDue(now),
  }));
}

/** The first delivery that waits for a target, in the order of the events; undefined if none does any more. */
export function findFirstDelivery({ storage }: Dependencies, target: TargetReference): Promise<Delivery | undefined> {
  return storage.read(({ deliveries }) => deliveries.findFirst(target));
}

/** Makes due now what is overdue after the clock was set back (`isOverdue`). Usually nothing is, and nothing is written. */
export async function rearmDeliveries({ storage }: Dependencies, { now }: { readonly now: number }): Promise<void> {
  const selectOverdue = (waiting: readonly WaitingTarget[]): readonly WaitingTarget[] =>
    waiting.filter((target) => isOverdue(target, now));
  const found = await storage.read(async ({ deliveries }) => selectOverdue(await deliveries.listDueAfter(now)));
  if (found.length === 0) return;
  await storage.transaction(async ({ deliveries }) => {
    await deliveries.setDue(selectOverdue(await deliveries.listDueAfter(now)), now);
  });
}

/** The target has taken the delivery. Its next one is due at once. */
export function completeDelivery(
  { storage }: Dependencies,
  { delivery, at }: { readonly delivery: Delivery; readonly at: number },
): Promise<void> {
  return storage.transaction(async ({ deliveries }) => {
    await deliveries.delete(delivery);
    await deliveries.recordSuccess(delivery, at);
  });
}

/** A delivery that its target has not taken. */
export interface FailedDelivery {
  readonly delivery: Delivery;
  readonly failure: DeliveryFailure;
}

/** The target has not taken the delivery, and is called again later. */
export function postponeDelivery({ storage }: Dependencies, { delivery, failure }: FailedDelivery): Promise<void> {
  return storage.transaction(({ deliveries }) => deliveries.recordFailure(delivery, failure));
}

/** The target has not taken the delivery and will not be asked again; its next one waits. */
export function dropDelivery({ storage }: Dependencies, { delivery, failure }: FailedDelivery): Promise<void> {
  return storage.transaction(async ({ deliveries }) => {
    await deliveries.delete(delivery);
    await deliveries.recordFailure(delivery, failure);
  });
}
