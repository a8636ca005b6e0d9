import { describe, expect, it } from '@jest/globals';
import type { EnvironmentEvent } from '../../../src/service/environment/environment-event.ts';
import { toMessages } from '../../../src/service/environment/event-digest.ts';
import { sampleEvent } from '../../support/notification-samples.ts';

function started(count: number, change: Partial<EnvironmentEvent> = {}): readonly EnvironmentEvent[] {
  return Array.from({ length: count }, (_, index) =>
    sampleEvent({
      trigger: 'ON_STARTED_ARTIFACT',
      artifact: { name: `web-${index}`, fingerprint: 'a'.repeat(64) },
      ...change,
    }),
  );
}

describe('the events of a snapshot for a target', () => {
  it('are separate messages up to ten', () => {
    const events = started(10);
    expect(toMessages(events)).toEqual(events);
    expect(toMessages([])).toEqual([]);
  });

  it('are one digest if there are more, with the trigger and the description of the verdict', () => {
    const [digest, ...others] = toMessages([
      ...started(9),
      ...started(1, { trigger: 'ON_EXITED_ARTIFACT' }),
      sampleEvent({ description: 'Environment prod does not comply.' }),
    ]);
    expect(others).toEqual([]);
    expect(digest).toMatchObject({
      trigger: 'ON_NON_COMPLIANT_ENV',
      description:
        'Environment prod does not comply. ' +
        'In snapshot 1 of prod: 9 artifacts started to run, 1 artifact no longer runs.',
      digest: { total: 11 },
    });
    expect(digest?.artifact).toBeUndefined();
    const groups = digest?.digest?.groups.map(({ trigger, count, artifacts }) => [trigger, count, artifacts.length]);
    expect(groups).toEqual([
      ['ON_NON_COMPLIANT_ENV', 1, 0],
      ['ON_STARTED_ARTIFACT', 9, 9],
      ['ON_EXITED_ARTIFACT', 1, 1],
    ]);
  });

  it('are not mixed with those of another snapshot or environment', () => {
    const messages = toMessages([
      ...started(11),
      ...started(2, { snapshot: 2 }),
      ...started(11, { environment: 'stage' }),
    ]);
    expect(messages.map(({ environment, snapshot, digest }) => [environment, snapshot, digest?.total])).toEqual([
      ['prod', 1, 11],
      ['prod', 2, undefined],
      ['prod', 2, undefined],
      ['stage', 1, 11],
    ]);
  });
});
