import type { ReportedArtifact } from './records.ts';

/**
 * Which attestations are about which artifact (the public documentation of such a service, Compliance). Both sides are
 * turned into scopes within their flow, and an attestation is about an artifact exactly when they share one. So the
 * question is answered by looking scopes up, however many attestations there are, and an attestation that comes before its
 * artifact needs no further work when the artifact arrives.
 */

/** A part of a flow that evidence is about. A text without spaces, unique within the flow. */
export type Scope = string;

/** What of an attestation decides what it is about. */
export interface AttestationSubject {
  readonly trail: string;
  /** `unit`, or `web.unit` for the artifact `web` of the template. */
  readonly attestation_name: string;
  readonly artifact_fingerprint?: string | undefined;
  readonly target_artifacts?: readonly string[] | undefined;
  readonly git_commit?: string | undefined;
}

/** What of an artifact decides which attestations are about it. */
export interface ArtifactSubject {
  readonly trail: string;
  readonly fingerprint: string;
  readonly template_reference_name?: string | undefined;
  readonly git_commit: string;
}

// Names hold no `/` (interface, patterns), so these texts cannot run into each other.
const fingerprintScope = (fingerprint: string): Scope => `fingerprint/${fingerprint}`;
const trailScope = (trail: string): Scope => `trail/${trail}`;
const targetScope = (trail: string, target: string, commit = ''): Scope => `target/${trail}/${target}/${commit}`;

/** The name of the evidence without the artifact it is about: `unit` of `web.unit`. */
export function evidenceName(attestationName: string): string {
  return attestationName.slice(attestationName.indexOf('.') + 1);
}

/**
 * What an attestation is about: the artifact of its fingerprint, in whichever trail of the flow; else the artifacts that it
 * names, in its trail and of its commit (of any commit, where it names none); else every artifact of its trail.
 */
export function toAttestationScopes(attestation: AttestationSubject): readonly [Scope, ...Scope[]] {
  if (attestation.artifact_fingerprint !== undefined) return [fingerprintScope(attestation.artifact_fingerprint)];
  const [first, ...others] = listTargets(attestation);
  if (first === undefined) return [trailScope(attestation.trail)];
  const scope = (target: string): Scope => targetScope(attestation.trail, target, attestation.git_commit);
  return [scope(first), ...others.map(scope)];
}

function listTargets({
  attestation_name: name,
  target_artifacts: targets = [],
}: AttestationSubject): readonly string[] {
  const dot = name.indexOf('.');
  return [...new Set(dot === -1 ? targets : [name.slice(0, dot), ...targets])];
}

/** Where the attestations about an artifact are found; the counterpart of `toAttestationScopes`. */
export function toArtifactScopes(artifact: ArtifactSubject): readonly Scope[] {
  const { trail, template_reference_name: target } = artifact;
  const targets =
    target === undefined ? [] : [targetScope(trail, target, artifact.git_commit), targetScope(trail, target)];
  return [fingerprintScope(artifact.fingerprint), trailScope(trail), ...targets];
}

/** Where the attestations about a reported artifact are found, within the flow that it was reported to. */
export function toReportScopes({ report }: Pick<ReportedArtifact, 'report'>): readonly Scope[] {
  const { fingerprint, trail_name: trail, template_reference_name, git_commit } = report;
  return toArtifactScopes({ trail, fingerprint, template_reference_name, git_commit });
}

/**
 * What counts for an artifact, by what counts in each of its scopes. An attestation can name the same artifact in two ways;
 * it counts once.
 */
export function currentEvidence<Recorded extends { readonly name: string; readonly sequence: number }>(
  scopes: readonly Scope[],
  currentByScope: ReadonlyMap<Scope, readonly Recorded[]>,
): readonly Recorded[] {
  const current = scopes.flatMap((scope) => currentByScope.get(scope) ?? []);
  const bySequence = new Map(current.map((attestation) => [attestation.sequence, attestation]));
  return selectLatestByName([...bySequence.values()].sort((one, other) => one.sequence - other.sequence));
}

/** What counts of attestations in the order they were recorded: the latest of each name, in that order. */
export function selectLatestByName<Named extends { readonly name: string }>(
  attestations: readonly Named[],
): readonly Named[] {
  const latest = new Map<string, Named>();
  for (const attestation of attestations) {
    const name = evidenceName(attestation.name);
    latest.delete(name);
    latest.set(name, attestation);
  }
  return [...latest.values()];
}
