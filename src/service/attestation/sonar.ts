import { revisionKeys, type SonarAttestation } from '../../contract/attestations/sonar.ts';

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
