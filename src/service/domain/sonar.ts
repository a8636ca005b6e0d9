import { revisionKeys, type SonarAttestation, type SonarResults } from '../../contract/attestation.ts';
import { verdictFromGateStatus, type Verdict } from '../../contract/compliance.ts';
import { truncate } from '../../runtime/truncate.ts';

/** The verdict of a Sonar attestation and the reason for it. */
export interface SonarJudgement {
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * Judges a Sonar attestation by its quality gate. An unknown status is inconclusive, as is a gate that was not
 * computed: the evidence is then incomplete, never compliant.
 */
export function judgeSonar({ qualityGate }: SonarResults): SonarJudgement {
  const verdict = verdictFromGateStatus(qualityGate.status) ?? 'incomplete';
  const failed = qualityGate.conditions.filter((condition) => condition.status === 'ERROR').map(({ metric }) => metric);
  const because = failed.length === 0 ? '' : ` because of ${failed.join(', ')}`;
  return { verdict, reason: truncate(`the quality gate is ${qualityGate.status}${because}`, maximumReasonLength) };
}

// In characters. The reason is stored with every judgement that uses the attestation; the document holds all
// conditions.
const maximumReasonLength = 500;

/**
 * Why it is uncertain that Sonar analysed the attested commit; undefined if the attestation names a revision and its
 * sender did not mark the revision as unverified.
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
