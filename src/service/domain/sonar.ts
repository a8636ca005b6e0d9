import type { SonarResults } from '../../contract/attestation.ts';
import { verdictOfGateStatus, type Verdict } from '../../contract/compliance.ts';

/** What a Sonar attestation says about its artifact. */
export interface SonarJudgement {
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * The verdict of a Sonar attestation: that of its quality gate. A status that Sonar does not document proves nothing, as
 * one without a computed gate does: the evidence is incomplete, never a pass.
 */
export function judgeSonar({ qualityGate }: SonarResults): SonarJudgement {
  const verdict = verdictOfGateStatus(qualityGate.status) ?? 'incomplete';
  const failed = qualityGate.conditions.filter((condition) => condition.status === 'ERROR').map(({ metric }) => metric);
  const because = failed.length === 0 ? '' : ` because of ${failed.join(', ')}`;
  return { verdict, reason: `the quality gate is ${qualityGate.status}${because}` };
}
