import type { Trigger } from '../../contract/notification.ts';
import type { EnvironmentEvent, EventArtifact } from '../environment/environment-event.ts';
import { listFingerprints, type RunningArtifact } from './running-artifact.ts';
import type { Snapshot } from './snapshot.ts';

/** The build of an artifact, as last reported to any flow. */
export type Provenance = NonNullable<EventArtifact['provenance']>;

/** The fingerprints that started and that stopped running with a snapshot. */
export interface Movement {
  readonly started: readonly string[];
  readonly exited: readonly string[];
}

/** Finds the fingerprints that started and that stopped running. A renamed artifact has done neither. */
export function findMovement(previous: readonly RunningArtifact[], next: readonly RunningArtifact[]): Movement {
  const [before, after] = [new Set(listFingerprints(previous)), new Set(listFingerprints(next))];
  return {
    started: [...after].filter((fingerprint) => !before.has(fingerprint)),
    exited: [...before].filter((fingerprint) => !after.has(fingerprint)),
  };
}

/**
 * Creates the events between two snapshots of an environment that can trigger notifications (interface, Events):
 * artifacts that started, exited, or newly comply only by an exception or an allow-list; and a changed verdict. There
 * are no events for scaling, because it is no longer recorded.
 */
export function createEvents(
  previous: Snapshot | undefined,
  next: Snapshot,
  findProvenance: (fingerprint: string) => Provenance | undefined,
): readonly EnvironmentEvent[] {
  const { org, environment, number: snapshot, from: timestamp, judgement } = next;
  const before = previous?.artifacts ?? [];
  const { started, exited } = findMovement(before, next.artifacts);
  const allowedBefore = new Set(previous?.judgement.allowed);
  const allowed = judgement.allowed.filter((fingerprint) => !allowedBefore.has(fingerprint));
  const event = (trigger: Trigger, description: string, artifact?: EventArtifact): EnvironmentEvent => {
    const about = artifact === undefined ? {} : { artifact };
    return { trigger, org, environment, snapshot, compliant: judgement.compliant, description, timestamp, ...about };
  };
  const artifactEvents = (
    trigger: Trigger,
    fingerprints: readonly string[],
    among: readonly RunningArtifact[],
    what: string,
  ): readonly EnvironmentEvent[] => {
    const names = new Map(among.map(({ fingerprint, name }) => [fingerprint, name]));
    return fingerprints.map((fingerprint) => {
      const name = names.get(fingerprint) ?? fingerprint;
      const artifact = { name, fingerprint, provenance: findProvenance(fingerprint) };
      return event(trigger, `Artifact ${name} ${what} ${environment}.`, artifact);
    });
  };
  return [
    ...artifactEvents('ON_STARTED_ARTIFACT', started, next.artifacts, 'started to run in'),
    ...artifactEvents('ON_EXITED_ARTIFACT', exited, before, 'no longer runs in'),
    ...artifactEvents('ON_ALLOWED_ARTIFACT', allowed, next.artifacts, 'complies only because it is allowed in'),
    ...verdictEvents(previous, next).map(([trigger, description]) => event(trigger, description)),
  ];
}

function verdictEvents(previous: Snapshot | undefined, next: Snapshot): readonly (readonly [Trigger, string])[] {
  const { environment, number, judgement } = next;
  if (judgement.compliant === null || judgement.compliant === previous?.judgement.compliant) return [];
  const since = `since snapshot ${number}.`;
  return judgement.compliant
    ? [['ON_COMPLIANT_ENV', `Environment ${environment} complies ${since}`]]
    : [['ON_NON_COMPLIANT_ENV', `Environment ${environment} does not comply ${since}${explainUnjudgeable(judgement)}`]];
}

function explainUnjudgeable({ unjudgeable }: Snapshot['judgement']): string {
  return unjudgeable === undefined ? '' : ` It could not be judged: ${unjudgeable}.`;
}
