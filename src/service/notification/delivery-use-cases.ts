import type { EnvironmentEvent } from '../environment/environment-event.ts';
import { toMessages } from '../environment/event-digest.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { Listener, NewBroadcast } from './delivery-records.ts';
import type { Delivery, DeliveryFailure } from './notification.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage'>;

/**
 * Converts an environment's events to broadcasts: each target gets those with its notification's triggers. Targets with the
 * same triggers share a broadcast, however many they are.
 */
export function toBroadcasts(
  listeners: readonly Listener[],
  events: readonly EnvironmentEvent[],
): readonly NewBroadcast[] {
  const groups = Map.groupBy(listeners, ({ triggers }) => triggers.join());
  return [...groups.values()].flatMap((group) => {
    const messages = toMessages(events.filter(({ trigger }) => group[0]?.triggers.includes(trigger)));
    const targets = group.flatMap(({ number, positions }) => positions.map((position) => [number, position] as const));
    return messages.length === 0 ? [] : [{ messages, targets }];
  });
}

/** How many deliveries one transaction adds at most: other writes wait for it. */
const distributedTogether = 100;

/** Adds deliveries of the organization's first broadcast to the queues of its next targets. */
export function distributeBroadcast({ storage }: Dependencies, { org }: { readonly org: string }): Promise<void> {
  return storage.transaction(org, async ({ deliveries }) => {
    const broadcast = await deliveries.findBroadcast(org);
    if (broadcast === undefined) return;
    // A snapshot has at most 10 messages for a target.
    await deliveries.distribute(broadcast, Math.ceil(distributedTogether / broadcast.messages.length));
  });
}

/** Records a success. The next delivery of the target is due immediately. */
export function completeDelivery(
  { storage }: Dependencies,
  { delivery, at }: { readonly delivery: Delivery; readonly at: number },
): Promise<void> {
  return storage.transaction(delivery.org, async ({ deliveries }) => {
    if (!(await deliveries.isWaiting(delivery))) return;
    await deliveries.delete(delivery);
    await deliveries.recordSuccess(delivery, at);
  });
}

/** Records a failure. The delivery waits until the failure's `until`; if it is dropped, the next one of the target does. */
export function failDelivery(
  { storage }: Dependencies,
  {
    delivery,
    failure,
    isDropped,
  }: { readonly delivery: Delivery; readonly failure: DeliveryFailure; readonly isDropped: boolean },
): Promise<void> {
  return storage.transaction(delivery.org, async ({ deliveries }) => {
    if (!(await deliveries.isWaiting(delivery))) return;
    if (isDropped) await deliveries.delete(delivery);
    await deliveries.recordFailure(delivery, failure);
  });
}
