/** How the words of the service and of Sonar become a verdict. One place, for both sides. */

/** A verdict. */
export type Verdict = 'compliant' | 'non-compliant' | 'incomplete';

/** The states of an artifact (interface, States and transitions). */
export const artifactStates = ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'] as const;

/** The state of an artifact. */
export type ArtifactState = (typeof artifactStates)[number];

const verdictsByState: Readonly<Record<ArtifactState, Verdict>> = {
  COMPLIANT: 'compliant',
  'NON-COMPLIANT': 'non-compliant',
  INCOMPLETE: 'incomplete',
};

/** The verdict of an artifact's state; undefined for a state that the interface does not know, which is never a pass. */
export function verdictFromArtifactState(state: string): Verdict | undefined {
  return Object.hasOwn(verdictsByState, state) ? verdictsByState[state as ArtifactState] : undefined;
}

/** The word of the interface for a verdict. */
export function toArtifactState(verdict: Verdict): ArtifactState {
  const states: Readonly<Record<Verdict, ArtifactState>> = {
    compliant: 'COMPLIANT',
    'non-compliant': 'NON-COMPLIANT',
    incomplete: 'INCOMPLETE',
  };
  return states[verdict];
}

/** The states of a Sonar quality gate (Sonar's web API, `api/qualitygates/project_status`). */
export const gateStatuses = ['OK', 'WARN', 'ERROR', 'NONE'] as const;

/** The status of a Sonar quality gate. */
export type GateStatus = (typeof gateStatuses)[number];

const verdictsByGateStatus: Readonly<Record<GateStatus, Verdict>> = {
  OK: 'compliant',
  ERROR: 'non-compliant',
  // The interface is silent about these two. WARN (old servers) is not a pass, and NONE means that no gate was computed:
  // neither is a proof that the gate failed, so evidence is still missing.
  WARN: 'incomplete',
  NONE: 'incomplete',
};

/** The verdict of a Sonar quality gate; undefined for a status that Sonar does not document, which is never a pass. */
export function verdictFromGateStatus(status: string): Verdict | undefined {
  return Object.hasOwn(verdictsByGateStatus, status) ? verdictsByGateStatus[status as GateStatus] : undefined;
}

const severity: Readonly<Record<Verdict, number>> = { compliant: 0, incomplete: 1, 'non-compliant': 2 };

/** The verdict that decides among several; undefined if there is none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.reduce<Verdict | undefined>(
    (worst, verdict) => (worst === undefined || severity[verdict] > severity[worst] ? verdict : worst),
    undefined,
  );
}
