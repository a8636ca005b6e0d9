import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  evidenceName,
  currentEvidence,
  toArtifactScopes,
  toAttestationScopes,
  type ArtifactSubject,
  type AttestationSubject,
} from '../../../src/service/attestation/evidence-scope.ts';

const isAbout = (attestation: AttestationSubject, artifact: ArtifactSubject): boolean => {
  const scopes = toArtifactScopes(artifact);
  return toAttestationScopes(attestation).some((scope) => scopes.includes(scope));
};

const artifact: ArtifactSubject = {
  trail: 'main',
  fingerprint: 'f'.repeat(64),
  template_reference_name: 'web',
  git_commit: '1'.repeat(40),
};
const unnamed: ArtifactSubject = { trail: 'main', fingerprint: 'f'.repeat(64), git_commit: '1'.repeat(40) };

describe('an attestation', () => {
  it.each<[string, AttestationSubject, ArtifactSubject, boolean]>([
    ['of the same trail', { trail: 'main', attestation_name: 'sonar' }, unnamed, true],
    [
      'of the same trail, whatever the commit',
      { trail: 'main', attestation_name: 's', git_commit: '2' },
      unnamed,
      true,
    ],
    ['of another trail', { trail: 'other', attestation_name: 'sonar' }, unnamed, false],
    [
      'of its fingerprint, from another trail',
      { trail: 'other', attestation_name: 'sonar', artifact_fingerprint: 'f'.repeat(64) },
      unnamed,
      true,
    ],
    [
      'of another fingerprint, though of its trail',
      { trail: 'main', attestation_name: 'web.sonar', artifact_fingerprint: 'e'.repeat(64) },
      artifact,
      false,
    ],
    [
      'that names it by its own name and commit',
      { trail: 'main', attestation_name: 'web.sonar', git_commit: '1'.repeat(40) },
      artifact,
      true,
    ],
    [
      'that names it as a target',
      { trail: 'main', attestation_name: 'sonar', target_artifacts: ['api', 'web'], git_commit: '1'.repeat(40) },
      artifact,
      true,
    ],
    ['that names it and no commit', { trail: 'main', attestation_name: 'web.sonar' }, artifact, true],
    [
      'that names it with another commit',
      { trail: 'main', attestation_name: 'web.sonar', git_commit: '2'.repeat(40) },
      artifact,
      false,
    ],
    [
      'that names it from another trail',
      { trail: 'other', attestation_name: 'web.sonar', git_commit: '1'.repeat(40) },
      artifact,
      false,
    ],
    ['that names another artifact', { trail: 'main', attestation_name: 'api.sonar' }, artifact, false],
    ['that names an artifact, for one without a name', { trail: 'main', attestation_name: 'web.s' }, unnamed, false],
    ['with an empty list of targets', { trail: 'main', attestation_name: 's', target_artifacts: [] }, unnamed, true],
  ])('%s is about an artifact or not', (_case, attestation, of, about) => {
    expect(isAbout(attestation, of)).toBe(about);
  });

  it('applies to an artifact exactly by the documented rule', () => {
    const few = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
    const attestation = fc.record(
      {
        trail: few('a', 'b'),
        attestation_name: few('unit', 'web.unit', 'api.unit'),
        artifact_fingerprint: few('f1', 'f2'),
        target_artifacts: fc.uniqueArray(few('web', 'api')),
        git_commit: few('c1', 'c2'),
      },
      { requiredKeys: ['trail', 'attestation_name'] },
    );
    const subject = fc.record(
      {
        trail: few('a', 'b'),
        fingerprint: few('f1', 'f2'),
        template_reference_name: few('web', 'api'),
        git_commit: few('c1', 'c2'),
      },
      { requiredKeys: ['trail', 'fingerprint', 'git_commit'] },
    );
    fc.assert(
      fc.property(attestation, subject, (from, of) => {
        expect(isAbout(from, of)).toBe(ruled(from, of));
      }),
    );
  });

  it('is stored once for each scope', () => {
    const scopes = toAttestationScopes({
      trail: 'main',
      attestation_name: 'web.unit',
      target_artifacts: ['web', 'api'],
    });
    expect(new Set(scopes).size).toBe(scopes.length);
  });
});

/** The rule again, told as the documentation tells it. */
function ruled(from: AttestationSubject, of: ArtifactSubject): boolean {
  if (from.artifact_fingerprint !== undefined) return from.artifact_fingerprint === of.fingerprint;
  if (from.trail !== of.trail) return false;
  const [prefix, name] = from.attestation_name.split('.');
  const targets = [...(from.target_artifacts ?? []), ...(name === undefined ? [] : [prefix])];
  if (targets.length === 0) return true;
  const named = of.template_reference_name !== undefined && targets.includes(of.template_reference_name);
  return named && (from.git_commit ?? of.git_commit) === of.git_commit;
}

describe('the evidence that counts', () => {
  const ofTrail = [{ name: 'unit', sequence: 3 }];
  const ofArtifact = [
    { name: 'unit', sequence: 1 },
    { name: 'sonar', sequence: 2 },
    { name: 'web.unit', sequence: 4 },
  ];
  const scopes = ['trail/main', 'target/main/web/'];
  const current = new Map([
    ['trail/main', ofTrail],
    ['target/main/web/', ofArtifact],
  ]);

  it('is the latest of each name, without the artifact prefix, with a list', () => {
    expect(currentEvidence([], scopes, current).map(({ sequence }) => sequence)).toEqual([2, 4]);
  });

  it('is the latest of each name and level, with a file', () => {
    const file = { text: '', attestations: [], artifacts: [] };
    expect(currentEvidence(file, scopes, current)).toEqual([
      { name: 'sonar', sequence: 2, level: 'artifact' },
      { name: 'unit', sequence: 3, level: 'trail' },
      { name: 'web.unit', sequence: 4, level: 'artifact' },
    ]);
  });

  it.each([
    ['unit', 'unit'],
    ['web.unit', 'unit'],
  ])('is called, of %s, %s', (name, evidence) => {
    expect(evidenceName(name)).toBe(evidence);
  });
});
