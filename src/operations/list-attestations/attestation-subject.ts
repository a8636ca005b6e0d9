import type { ListedAttestation } from '../../contract/attestation-list.ts';
import { abbreviate } from '../report.ts';

export interface AttestationSubject {
  readonly trail: string;
  /** The fingerprint of the artifact, else its names in the template; empty if the attestation names no artifact. */
  readonly artifact: string;
  readonly name: string;
}

/**
 * What an attestation is about; undefined if the entry does not say. The interface shows neither trail nor artifact in
 * an entry, so services differ: the trail is in a field of its own, else in the URL of the trail's page.
 */
export function toAttestationSubject(attestation: ListedAttestation): AttestationSubject | undefined {
  const { attestation_name: name = '' } = attestation;
  const trail = attestationTrail(attestation);
  return name === '' || trail === undefined ? undefined : { trail, artifact: attestationArtifact(attestation), name };
}

/** The trail of an attestation; undefined if neither the field nor the URL names it. */
export function attestationTrail({ trail_name: name, html_url: page }: ListedAttestation): string | undefined {
  if (name !== undefined && name !== null && name !== '') return name;
  return page === undefined || page === null ? undefined : trailFromPage(page);
}

/** The artifact of an attestation: its fingerprint, else its names in the template; empty if it names none. */
export function attestationArtifact({
  artifact_fingerprint: fingerprint,
  target_artifacts: targets,
}: ListedAttestation): string {
  if (fingerprint !== undefined && fingerprint !== null && fingerprint !== '') return fingerprint;
  return (targets ?? []).toSorted().join(', ');
}

/** The artifact as a report shows it: its fingerprint is abbreviated. */
export function artifactLabel(attestation: ListedAttestation): string {
  const artifact = attestationArtifact(attestation);
  return artifact === attestation.artifact_fingerprint ? abbreviate(artifact) : artifact;
}

/** The name of an attestation, or its id if it has none. */
export function attestationLabel({ attestation_name: name, attestation_id: id }: ListedAttestation): string {
  return name ?? id;
}

/** Whether the entry has a field for an artifact, even if it is empty. */
export function namesArtifact(attestation: ListedAttestation): boolean {
  return attestation.artifact_fingerprint !== undefined || attestation.target_artifacts !== undefined;
}

/** The name of the trail in `{host}/{org}/flows/{flow}/trails/{trail}?attestation_id={id}` (observed), or below it. */
function trailFromPage(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const encoded = /\/flows\/[^/]+\/trails\/([^/]+)(?:\/|$)/u.exec(new URL(address).pathname)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
