import { type Audience, type CountsFor, countsForAudience } from '../account/audience.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import { type AttributedRecord, countsFrom } from '../requirement/recorder.ts';
import { isListTemplate, type Level, type Template } from '../template/template.ts';

/**
 * Which attestations apply to which artifact (public documentation of such a service, Compliance). Attestations and
 * artifacts are both mapped to scopes within their flow; an attestation applies to an artifact if and only if they
 * share a scope. The attestations of an artifact are therefore looked up by scope, which takes the same time however
 * many there are, and an attestation may be recorded before its artifact.
 */

/** A part of a flow that evidence applies to: a string without spaces, unique within the flow. */
export type Scope = string;

/** The fields of an attestation that determine its scopes. */
export interface AttestationSubject {
  readonly trail: string;
  /** `unit`, or `web.unit` for the artifact `web` of the template. */
  readonly attestation_name: string;
  readonly artifact_fingerprint?: string | undefined;
  readonly target_artifacts?: readonly string[] | undefined;
  readonly git_commit?: string | undefined;
}

// Names contain no `/` (interface, patterns), so the scopes are unambiguous.
const fingerprintScope = (fingerprint: string): Scope => `fingerprint/${fingerprint}`;
const trailScope = (trail: string): Scope => `trail/${trail}`;
const targetScope = (trail: string, target: string, commit = ''): Scope => `target/${trail}/${target}/${commit}`;

/** The evidence name without the artifact prefix: `unit` for `web.unit`. */
export function evidenceName(attestationName: string): string {
  return attestationName.slice(attestationName.indexOf('.') + 1);
}

/**
 * The scopes of an attestation: the artifact with its fingerprint, in any trail of the flow; else the artifacts that it
 * names, in its trail and for its commit (any commit if it names none); else its whole trail.
 */
export function toAttestationScopes(attestation: AttestationSubject): readonly [Scope, ...Scope[]] {
  if (attestation.artifact_fingerprint !== undefined) return [fingerprintScope(attestation.artifact_fingerprint)];
  const [first, ...others] = listTargetArtifacts(attestation);
  if (first === undefined) return [trailScope(attestation.trail)];
  const scope = (target: string): Scope => targetScope(attestation.trail, target, attestation.git_commit);
  return [scope(first), ...others.map(scope)];
}

/** The artifacts of the template that an attestation names: by the prefix of its name, and as targets. */
export function listTargetArtifacts({
  attestation_name: name,
  target_artifacts: targets = [],
}: Pick<AttestationSubject, 'attestation_name' | 'target_artifacts'>): readonly string[] {
  const dot = name.indexOf('.');
  return [...new Set(dot === -1 ? targets : [name.slice(0, dot), ...targets])];
}

/** The scopes of the attestations that name an artifact of the template, whether or not it is reported. */
export function toTargetScopes(trail: string, target: string, commit: string | undefined): readonly Scope[] {
  const anyCommit = targetScope(trail, target);
  return commit === undefined ? [anyCommit] : [targetScope(trail, target, commit), anyCommit];
}

/** The artifacts of the template that scopes are for. */
export function listScopeTargets(scopes: readonly Scope[]): readonly string[] {
  return [...new Set(scopes.flatMap((scope) => (scope.startsWith('target/') ? (scope.split('/')[2] ?? []) : [])))];
}

/** The scopes of the attestations of a trail itself. */
export function toTrailScopes(trail: string): readonly Scope[] {
  return [trailScope(trail)];
}

type ReportSubject = Pick<
  ReportedArtifact['report'],
  'fingerprint' | 'trail_name' | 'template_reference_name' | 'git_commit'
>;

/** The scopes in which the attestations of a reported artifact are found; the counterpart of `toAttestationScopes`. */
export function toReportScopes({ report }: { readonly report: ReportSubject }): readonly Scope[] {
  const { fingerprint, trail_name: trail, template_reference_name: target, git_commit: commit } = report;
  const targets = target === undefined ? [] : toTargetScopes(trail, target, commit);
  return [fingerprintScope(fingerprint), trailScope(trail), ...targets];
}

function toLevel(scope: Scope): Level {
  return scope.startsWith(trailScope('')) ? 'trail' : 'artifact';
}

type ScopedEvidence = Pick<AttributedRecord, 'countsFrom'> & { readonly name: string; readonly sequence: number };

/**
 * Selects the evidence that counts for an artifact from the evidence that counts in each of its scopes: the latest of
 * each name; with a template file, of each name and level; and the latest that counts from each recorder, marked if it is
 * replaced. An attestation that several scopes share counts once.
 */
export function currentEvidence<Recorded extends ScopedEvidence>(
  template: Template,
  scopes: readonly Scope[],
  currentByScope: ReadonlyMap<Scope, readonly Recorded[]>,
): readonly (Recorded & { readonly level: Level; readonly isReplaced?: boolean })[] {
  const current = scopes.flatMap((scope) => {
    const level = toLevel(scope);
    return (currentByScope.get(scope) ?? []).map((attestation) => ({ ...attestation, level }));
  });
  const bySequence = new Map(current.map((attestation) => [attestation.sequence, attestation]));
  const inOrder = [...bySequence.values()].sort((one, other) => one.sequence - other.sequence);
  const keepsLevels = !isListTemplate(template);
  const toKey = ({ name, level }: (typeof inOrder)[number]): string =>
    (keepsLevels ? `${level}/` : '') + evidenceName(name);
  const latest = new Set(selectLatest(inOrder, toKey));
  const recorders = new Set(inOrder.flatMap(({ countsFrom = [] }) => countsFrom));
  const ofRecorders = [...recorders].flatMap((recorder) => {
    const counting = inOrder.filter(({ countsFrom = [] }) => countsFrom.includes(recorder));
    return selectLatest(counting, toKey);
  });
  const replaced = new Set(ofRecorders.filter((one) => !latest.has(one)));
  return inOrder
    .filter((one) => latest.has(one) || replaced.has(one))
    .map((one) => (replaced.has(one) ? { ...one, isReplaced: true } : one));
}

/** Selects the evidence that an entry accepts, whatever its name and type: the latest of each name and level that counts. */
export function selectFrom<Piece extends AttributedRecord & { readonly name: string; readonly level: Level }>(
  evidence: readonly Piece[],
  { from }: { readonly from?: readonly string[] | undefined },
): readonly Piece[] {
  if (from === undefined) return evidence.filter(({ isReplaced }) => isReplaced !== true);
  const counting = evidence.filter((piece) => countsFrom(piece, from));
  // The evidence has the order of recording.
  return [...new Map(counting.map((piece) => [`${piece.level}/${evidenceName(piece.name)}`, piece])).values()];
}

/** Those of the evidence in scopes that count for an audience. */
export function selectForAudience<Recorded extends { readonly countsFor?: CountsFor }>(
  currentByScope: ReadonlyMap<Scope, readonly Recorded[]>,
  audience: Audience | undefined,
): ReadonlyMap<Scope, readonly Recorded[]> {
  if (audience === undefined) return currentByScope;
  const counting = (current: readonly Recorded[]): readonly Recorded[] =>
    current.filter(({ countsFor }) => countsForAudience(countsFor, audience));
  return new Map([...currentByScope].map(([scope, current]) => [scope, counting(current)]));
}

/** Selects the latest of each key. Expects and keeps the order of recording. */
function selectLatest<Recorded>(
  attestations: readonly Recorded[],
  toKey: (attestation: Recorded) => string,
): readonly Recorded[] {
  const latest = new Map<string, Recorded>();
  for (const attestation of attestations) {
    const key = toKey(attestation);
    latest.delete(key);
    latest.set(key, attestation);
  }
  return [...latest.values()];
}
