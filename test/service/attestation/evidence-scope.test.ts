import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AttestationSubject,
  currentEvidence,
  toAttestationScopes,
  toReportScopes,
} from '../../../src/service/attestation/evidence-scope.ts';

type Report = Parameters<typeof toReportScopes>[0]['report'];

const isAbout = (attestation: AttestationSubject, report: Report): boolean => {
  const scopes = toReportScopes({ report });
  return toAttestationScopes(attestation).some((scope) => scopes.includes(scope));
};

describe('an attestation', () => {
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
        trail_name: few('a', 'b'),
        fingerprint: few('f1', 'f2'),
        template_reference_name: few('web', 'api'),
        git_commit: few('c1', 'c2'),
      },
      { requiredKeys: ['trail_name', 'fingerprint', 'git_commit'] },
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
function ruled(from: AttestationSubject, of: Report): boolean {
  if (from.artifact_fingerprint !== undefined) return from.artifact_fingerprint === of.fingerprint;
  if (from.trail !== of.trail_name) return false;
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
});
