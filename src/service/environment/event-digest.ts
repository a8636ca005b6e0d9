import type { Trigger } from '../../contract/notification.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { DigestGroup, EnvironmentEvent } from './environment-event.ts';

/** If a snapshot has more events than this for a target, they are sent as a digest. */
export const maximumSeparateEvents = 10;
export const maximumListedArtifacts = 10;
/** In characters. Longer artifact names are truncated, so that the size of a digest is bounded. */
const maximumListedNameLength = 200;

/** Phrases for the events of artifacts, most important first. Events of environments come before all of them. */
const artifactPhrases: readonly (readonly [Trigger, one: string, many: string])[] = [
  ['ON_ALLOWED_ARTIFACT', 'complies only because it is allowed', 'comply only because they are allowed'],
  ['ON_STARTED_ARTIFACT', 'started to run', 'started to run'],
  ['ON_EXITED_ARTIFACT', 'no longer runs', 'no longer run'],
  ['ON_SCALED_ARTIFACT', 'was scaled', 'were scaled'],
];
const importance: readonly Trigger[] = [
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_CHANGED_RULES',
  ...artifactPhrases.map(([trigger]) => trigger),
];

/** Converts events to the messages for one target, in order. If a snapshot has many events, they become one digest. */
export function toMessages(events: readonly EnvironmentEvent[]): readonly EnvironmentEvent[] {
  const snapshots = Map.groupBy(events, ({ org, environment, snapshot }) => `${org}/${environment}/${snapshot}`);
  return [...snapshots.values()].flatMap((together) =>
    together.length > maximumSeparateEvents ? toDigest(together) : together,
  );
}

/** The digest has the trigger of its most important event, for receivers that read only the trigger. */
function toDigest(events: readonly EnvironmentEvent[]): readonly EnvironmentEvent[] {
  const ordered = [...events].sort((one, other) => importance.indexOf(one.trigger) - importance.indexOf(other.trigger));
  const [first] = ordered;
  if (first === undefined) return [];
  const { trigger, org, environment, snapshot, compliant, timestamp } = first;
  const groups = [...Map.groupBy(ordered, (event) => event.trigger)].map(([of, group]) => ({
    trigger: of,
    count: group.length,
    artifacts: group
      .flatMap(({ artifact }) => artifact ?? [])
      .slice(0, maximumListedArtifacts)
      .map(({ name, fingerprint }) => ({ name: truncate(name, maximumListedNameLength), fingerprint })),
  }));
  const verdicts = ordered.filter(({ artifact }) => artifact === undefined).map(({ description }) => description);
  const counts = groups.flatMap((group) => describeGroup(group) ?? []).join(', ');
  const artifacts = counts === '' ? [] : [`In snapshot ${snapshot} of ${environment}: ${counts}.`];
  const description = [...verdicts, ...artifacts].join(' ');
  const digest = { total: events.length, groups };
  return [{ trigger, org, environment, snapshot, compliant, timestamp, description, digest }];
}

/** Describes a group: `3000 artifacts started to run`; undefined for events of the environment. */
export function describeGroup({ trigger, count }: DigestGroup): string | undefined {
  const words = artifactPhrases.find(([known]) => known === trigger);
  if (words === undefined) return undefined;
  return count === 1 ? `1 artifact ${words[1]}` : `${count} artifacts ${words[2]}`;
}
