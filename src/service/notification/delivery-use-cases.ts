import type { EnvironmentEvent } from '../environment/environment-event.ts';
import { toMessages } from '../environment/event-digest.ts';
import { isOverdue, type Delivery, type DeliveryFailure } from './notification.ts';
import type { ListeningTarget, NewDelivery, WaitingTarget } from './delivery-records.ts';
import { allOrganizations } from '../platform/database/storage.ts';
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

/** Records a failure and drops the delivery. The next delivery of the target waits until the failure's `until`. */
export function dropDelivery({ storage }: Dependencies, { delivery, failure }: FailedDelivery): Promise<void> {
  return storage.transaction(delivery.org, async ({ deliveries }) => {
    await deliveries.delete(delivery);
    await deliveries.recordFailure(delivery, failure);
  });
}
