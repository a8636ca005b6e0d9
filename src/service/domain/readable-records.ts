import { mayAccess, type Caller } from './access.ts';
import type { EnvironmentOverview } from './environment/snapshot.ts';
import type { Provenance } from './environment/snapshot-events.ts';
import type { Appearance, ArtifactDetails } from './records.ts';
import type { TrailHistory } from './trail-details.ts';

// A key that is limited to some flows and environments may not read the names of others either. Records of flows name
// environments, and records of environments name flows.

type Reader = Pick<Caller, 'org' | 'grants'>;

/** Leaves out the environments that the caller may not read; returns the same object to a caller that may read all. */
export function toReadableDetails(caller: Reader, details: ArtifactDetails): ArtifactDetails {
  if (readsEverything(caller)) return details;
  return { ...details, appearances: readableAppearances(caller, details.appearances) };
}

/** Leaves out the environments that the caller may not read. */
export function toReadableHistory(caller: Reader, history: TrailHistory): TrailHistory {
  if (readsEverything(caller)) return history;
  const readable = [...history.appearances].map(([fingerprint, appearances]) => {
    return [fingerprint, readableAppearances(caller, appearances)] as const;
  });
  return { ...history, appearances: new Map(readable) };
}

/** Leaves out the builds of flows that the caller may not read. */
export function toReadableProvenance(
  caller: Reader,
  provenance: ReadonlyMap<string, Provenance>,
): ReadonlyMap<string, Provenance> {
  if (readsEverything(caller)) return provenance;
  return new Map([...provenance].filter(([, { flow }]) => mayAccess(caller, caller.org, 'read', { flows: [flow] })));
}

/** Like `toReadableProvenance`, for a snapshot with the provenance of its artifacts. */
export function withReadableProvenance<Found extends { readonly provenance: ReadonlyMap<string, Provenance> }>(
  caller: Reader,
  found: Found,
): Found {
  return { ...found, provenance: toReadableProvenance(caller, found.provenance) };
}

/** Leaves out the members that the caller may not read. */
export function toReadableEnvironment(caller: Reader, environment: EnvironmentOverview): EnvironmentOverview {
  return { ...environment, members: environment.members.filter((name) => mayReadEnvironment(caller, name)) };
}

/** Whether the caller may read all flows and environments of the organization. */
export function readsEverything(caller: Reader): boolean {
  return mayAccess(caller, caller.org, 'read');
}

function readableAppearances(caller: Reader, appearances: readonly Appearance[]): readonly Appearance[] {
  return appearances.filter(({ environment }) => mayReadEnvironment(caller, environment));
}

function mayReadEnvironment(caller: Reader, name: string): boolean {
  return mayAccess(caller, caller.org, 'read', { environments: [name] });
}
