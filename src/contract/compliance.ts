/** Turns the states of the service and of Sonar into verdicts, for the action and the service alike. */

export type Verdict = 'compliant' | 'non-compliant' | 'incomplete';

/** The states of an artifact (interface, States and transitions). */
export const artifactStates = ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'] as const;

export type ArtifactState = (typeof artifactStates)[number];

const verdictsByState: Readonly<Record<ArtifactState, Verdict>> = {
  COMPLIANT: 'compliant',
  'NON-COMPLIANT': 'non-compliant',
  INCOMPLETE: 'incomplete',
};

/** The verdict for an artifact's state; undefined for a state outside the interface, which is never a pass. */
export function verdictFromArtifactState(state: string): Verdict | undefined {
  return Object.hasOwn(verdictsByState, state) ? verdictsByState[state as ArtifactState] : undefined;
}

/** The interface's artifact state for a verdict. */
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
  // The interface does not mention these two. WARN (old servers) is not a pass, and NONE means that no gate was
  // computed. Neither proves that the gate failed, so evidence is still missing.
  WARN: 'incomplete',
  NONE: 'incomplete',
};

/** The verdict for a Sonar quality gate; undefined for a status that Sonar does not document, which is never a pass. */
export function verdictFromGateStatus(status: string): Verdict | undefined {
  return Object.hasOwn(verdictsByGateStatus, status) ? verdictsByGateStatus[status as GateStatus] : undefined;
}

const severity: Readonly<Record<Verdict, number>> = { compliant: 0, incomplete: 1, 'non-compliant': 2 };

/** The worst of several verdicts; undefined if there are none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.reduce<Verdict | undefined>(
    (worst, verdict) => (worst === undefined || severity[verdict] > severity[worst] ? verdict : worst),
    undefined,
  );
}
