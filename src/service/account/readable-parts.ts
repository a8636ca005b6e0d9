import type { Appearance, ArtifactDetails } from '../artifact/artifact.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import type { PolicyEvaluation } from '../policy/judge-environment.ts';
import type { RunningArtifact } from '../snapshot/running-artifact.ts';
import type { Environment } from '../snapshot/snapshot.ts';
import type { Provenance } from '../snapshot/snapshot-events.ts';
import type { TrailHistory } from '../trail/trail.ts';
import { type Caller, mayAccess } from './access.ts';

// A key that is limited to some flows and environments may not read the names of others either. Records of flows name
// environments, and records of environments name flows.

export type Reader = Pick<Caller, 'org' | 'grants'>;

/** Leaves out the environments that the caller may not read; returns the same object to a caller that may read all. */
export function toReadableDetails(caller: Reader, details: ArtifactDetails): ArtifactDetails {
  if (readsEverything(caller)) return details;
  return {
    ...details,
    appearances: readableAppearances(caller, details.appearances),
    firstStarts: new Map([...details.firstStarts].filter(([environment]) => mayReadEnvironment(caller, environment))),
  };
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

/** Hides the names of instances that run in members which the caller may not read. */
export function toReadableArtifacts(caller: Reader, artifacts: readonly RunningArtifact[]): readonly RunningArtifact[] {
  if (readsEverything(caller)) return artifacts;
  return artifacts.map((artifact) => ({
    ...artifact,
    instances: artifact.instances.map((instance) => {
      const { member } = instance;
      return member === undefined || mayReadEnvironment(caller, member)
        ? instance
        : { ...instance, namespace: '', pod: '' };
    }),
  }));
}

/** Hides reasons of policies that are about flows or environments that the caller may not read. */
export function toReadableEvaluations(
  caller: Reader,
  policies: readonly PolicyEvaluation[],
): readonly PolicyEvaluation[] {
  if (readsEverything(caller)) return policies;
  return policies.map((policy) => ({
    ...policy,
    rules: policy.rules.map(({ definition, result }) => ({
      definition,
      result: 'reasons' in result ? { ...result, reasons: toReadableReasons(caller, result.reasons) } : result,
    })),
  }));
}

const hiddenValues: Readonly<Record<JudgementReason['state'], string>> = {
  failed: 'not compliant',
  incomplete: 'not judged yet',
  missing: 'missing',
};

/** Hides the reasons that are about flows or member environments that the caller may not read. */
export function toReadableReasons(caller: Reader, reasons: readonly JudgementReason[]): readonly JudgementReason[] {
  if (readsEverything(caller)) return reasons;
  return reasons.map((reason) => {
    const { state, source } = reason;
    if (source === undefined) return reason;
    const { evidence, member, isUnclear = false } = source;
    const flows = evidence === undefined ? [] : [evidence.flow];
    const environments = member === undefined ? [] : [member];
    if (!isUnclear && mayAccess(caller, caller.org, 'read', { flows, environments })) return reason;
    return { state, about: 'something that this key may not read', value: hiddenValues[state] };
  });
}

/** Leaves out the members that the caller may not read. */
export function toReadableEnvironment(caller: Reader, environment: Environment): Environment {
  return { ...environment, members: environment.members.filter((name) => mayReadEnvironment(caller, name)) };
}

/** Whether the caller may read all flows and environments of the organization. */
export function readsEverything(caller: Reader): boolean {
  return mayAccess(caller, caller.org, 'read');
}

function readableAppearances(caller: Reader, appearances: readonly Appearance[]): readonly Appearance[] {
  return appearances.filter(({ environment }) => mayReadEnvironment(caller, environment));
}

export function mayReadEnvironment(caller: Reader, name: string): boolean {
  return mayAccess(caller, caller.org, 'read', { environments: [name] });
}
