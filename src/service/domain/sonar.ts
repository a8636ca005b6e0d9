import { revisionKeys, type SonarAttestation, type SonarResults } from '../../contract/attestation.ts';
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
const maximumReasonLength = 500;

function shortened(reason: string): string {
  return reason.length <= maximumReasonLength ? reason : `${reason.slice(0, maximumReasonLength - 1).toWellFormed()}…`;
}

/**
 * Why it is not certain that the attested commit was analysed, in words; undefined if nothing speaks against it: the
 * attestation names a revision, and whoever sent it does not call it unverified.
 */
export function revisionDoubt({
  sonar_results: { revision },
  user_data: data = {},
}: SonarAttestation): string | undefined {
  const reason = Object.hasOwn(data, revisionKeys.reason) ? data[revisionKeys.reason] : undefined;
  const isDenied = Object.hasOwn(data, revisionKeys.verified) && data[revisionKeys.verified] === false;
  if (isDenied) return typeof reason === 'string' && reason !== '' ? reason : 'the attestation does not say why';
  return revision === undefined || revision === '' ? 'the attestation does not name the analysed commit' : undefined;
}
