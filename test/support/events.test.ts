import { type DescriptionDictionary, isDescriptionDictionary } from '@actions/expressions';
import {
  getEventPayload,
  getSupportedEventTypes,
} from '@actions/languageservice/context-providers/events/eventPayloads';
import { describe, expect, it } from '@jest/globals';
import { isMapping, type Mapping, textAt } from '../../src/runtime/untrusted-data.ts';
import { eventRuns } from './event-runs.ts';

/** GitHub's description of an event's payload, from its webhook documentation; undefined if there is none. */
function describedPayload(eventName: string, event: Mapping): DescriptionDictionary | undefined {
  const name = eventName === 'pull_request_target' ? 'pull_request' : eventName;
  const actions = getSupportedEventTypes(name);
  const action = actions.find((known) => known === textAt(event, 'action')) ?? actions[0];
  return action === undefined ? undefined : getEventPayload(name, action);
}

function undescribedPaths(payload: Mapping, described: DescriptionDictionary, folder = ''): readonly string[] {
  return Object.entries(payload).flatMap(([key, value]) => {
    const inside = described.get(key);
    if (inside === undefined) return [folder + key];
    // Something without described properties may contain anything.
    if (!isMapping(value) || !isDescriptionDictionary(inside)) return [];
    return undescribedPaths(value, inside, `${folder}${key}.`);
  });
}

// That description has no merge groups.
const described = eventRuns.flatMap(({ title, eventName, event }) => {
  const description = describedPayload(eventName, event);
  return description === undefined ? [] : [{ title, event, description }];
});

describe('the payloads that tests use', () => {
  it('are nearly all described by GitHub', () => {
    const names = new Set(eventRuns.map(({ title }) => title));
    for (const { title } of described) names.delete(title);
    expect([...names].sort()).toEqual(['a merge group', 'an event of tomorrow']);
  });

  it.each(described)('have the shape that GitHub gives $title', ({ event, description }) => {
    expect(undescribedPaths(event, description)).toEqual([]);
  });
});
