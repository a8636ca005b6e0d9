import { describe, expect, it } from '@jest/globals';
import type { AttestationJudgement } from '../../../src/contract/attestations/attestation-kind.ts';
import { sonarKind } from '../../../src/contract/attestations/sonar.ts';

const judged = (status: string, failed: readonly string[] = []): AttestationJudgement =>
  sonarKind.judge({
    attestation_name: 'sonar',
    sonar_results: {
      project: { key: 'web' },
      qualityGate: {
        status,
        conditions: [{ metric: 'bugs', status: 'OK' }, ...failed.map((metric) => ({ metric, status: 'ERROR' }))],
      },
    },
  });

describe('the verdict of a Sonar attestation', () => {
  it.each([
    ['OK', 'compliant'],
    ['ERROR', 'non-compliant'],
    ['WARN', 'incomplete'],
    ['NONE', 'incomplete'],
    ['ok', 'incomplete'],
    ['PASSED', 'incomplete'],
    ['', 'incomplete'],
    ['constructor', 'incomplete'],
  ])('of the gate status %j is %s', (status, verdict) => {
    expect(judged(status).verdict).toBe(verdict);
  });

  it('names the conditions that failed', () => {
    expect(judged('ERROR', ['new_coverage', 'new_bugs']).reason).toBe(
      'the quality gate is ERROR because of new_coverage, new_bugs',
    );
    expect(judged('OK').reason).toBe('the quality gate is OK');
  });
});
