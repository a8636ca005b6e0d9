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
  return { verdict, reason: shortened(`the quality gate is ${qualityGate.status}${because}`) };
}

// In characters. The reason is kept with every judgement that the attestation is part of; the document has all of it.
const longestReason = 500;

function shortened(reason: string): string {
  return reason.length <= longestReason ? reason : `${reason.slice(0, longestReason - 1).toWellFormed()}…`;
}
