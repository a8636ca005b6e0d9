import type { EnvironmentEvent } from '../../src/service/environment/environment-event.ts';

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
