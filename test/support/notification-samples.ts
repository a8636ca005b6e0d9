import type { NotificationTarget } from '../../src/contract/notification.ts';
import type { EnvironmentEvent } from '../../src/service/environment/environment-event.ts';
import type { NewNotification } from '../../src/service/notification/notification.ts';

/** An event in the environment `prod` of `acme`. */
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

export interface SampleNotification extends NewNotification {
  readonly targets: readonly NotificationTarget[];
}

/** A notification of `acme` that listens to the event, with a webhook whose address is secret. */
export function sampleNotification(change: Partial<SampleNotification> = {}): SampleNotification {
  return {
    org: 'acme',
    name: 'To the team',
    environments: ['prod'],
    triggers: ['ON_NON_COMPLIANT_ENV'],
    targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/secret', payload_version: '1.0' }],
    createdAt: 5.5,
    createdBy: 'administrator',
    ...change,
  };
}

/** Lets all deliveries that are ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
