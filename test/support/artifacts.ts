import type { Artifact } from '../../src/contract/artifact.ts';
import type { ArtifactQuery } from '../../src/operations/get-artifact/parse-verdict.ts';

/** A fingerprint that is easy to recognise: one digit, 64 times. */
export function fingerprintOf(digit: string): string {
  return digit.repeat(64);
}

/** An artifact as a service returns it, with these changes. */
export function anArtifact(other: Partial<Artifact> = {}): Artifact {
  return {
    fingerprint: fingerprintOf('a'),
    filename: 'web.tar.gz',
    flow_name: 'web',
    trail_name: 'trail-1',
    git_commit: 'c'.repeat(40),
    commit_url: `https://github.com/acme/widgets/commit/${'c'.repeat(40)}`,
    html_url: 'https://compliance.example.com/acme/flows/web/artifacts/1',
    state: 'COMPLIANT',
    state_info: 'All evidence is compliant: sonar.',
    ...other,
  };
}

/** A query for the artifact above, with these changes. */
export function aQuery(other: Partial<ArtifactQuery> = {}): ArtifactQuery {
  return {
    fingerprint: fingerprintOf('a'),
    name: undefined,
    flow: 'web',
    trail: undefined,
    attestationId: undefined,
    ...other,
  };
}
