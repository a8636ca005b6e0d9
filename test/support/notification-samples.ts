import type { EnvironmentEvent } from '../../src/service/domain/environment-event.ts';
import type { Delivery } from '../../src/service/domain/notifications.ts';
import type { NotificationStore } from '../../src/service/storage/notification-store.ts';

/** Something that happened in the environment `prod` of `acme`. */
export function sampleEvent(change: Partial<EnvironmentEvent> = {}): EnvironmentEvent {
  return {
    trigger: 'ON_NON_COMPLIANT_ENV',
    org: 'acme',
    environment: 'prod',
    snapshot: 1,
    compliant: false,
    description: 'Environment prod is not compliant any more',
    timestamp: 900,
    ...change,
  };
}

/** The delivery that has been due longest. */
export async function firstDue(store: NotificationStore, now: number): Promise<Delivery | undefined> {
  const [target] = await store.dueTargets(now, 1);
  return target === undefined ? undefined : store.firstDelivery(target);
}
