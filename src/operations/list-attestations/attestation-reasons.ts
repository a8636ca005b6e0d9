import type { ListedAttestation } from '../../contract/attestation-list.ts';
import type { Reason } from '../../contract/reason.ts';
import { isFullSha } from '../../evidence/git/git-ref.ts';
import { readReasons } from '../reasons.ts';
import { abbreviate } from '../report.ts';
import { artifactLabel, attestationLabel, attestationTrail } from './attestation-subject.ts';

/**
 * Why an attestation that counts is not compliant; from an answer without reasons, what its verdict and its description
 * say. Each names the artifact and the trail, which tell attestations of the same name apart.
 */
export function explainAttestation(attestation: ListedAttestation): readonly Reason[] {
  const answered = readReasons(attestation.reasons);
  const artifact = artifactLabel(attestation);
  const trail = attestationTrail(attestation);
  const place = [
    ...(artifact === '' ? [] : [` of ${artifact}`]),
    ...(trail === undefined ? [] : [` in trail ${isFullSha(trail) ? abbreviate(trail) : trail}`]),
  ].join('');
  const reasons = answered.length > 0 ? answered : [deriveReason(attestation)];
  return reasons.map((reason) => ({ ...reason, about: `${reason.about}${place}` }));
}

function deriveReason(attestation: ListedAttestation): Reason {
  const { is_compliant: isCompliant, description = '', html_url: page } = attestation;
  return {
    ...(isCompliant === false
      ? { state: 'failed', value: 'not compliant' }
      : { state: 'incomplete', value: 'without a verdict' }),
    about: attestationLabel(attestation),
    ...(description === '' ? {} : { description }),
    ...(page === undefined || page === null ? {} : { html_url: page }),
  };
}
