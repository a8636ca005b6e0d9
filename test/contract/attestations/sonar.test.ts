import { describe, expect, it } from '@jest/globals';
import type { AttestationJudgement } from '../../../src/contract/attestations/attestation-kind.ts';
import { type SonarCondition, sonarKind } from '../../../src/contract/attestations/sonar.ts';
import { describeFault } from '../../../src/contract/reason.ts';

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

  it.each<[Omit<SonarCondition, 'status'>, string]>([
    [
      { metric: 'new_coverage', operator: 'LT', errorThreshold: '80', value: '61.2' },
      'new_coverage is 61.2; at least 80 is required',
    ],
    [
      { metric: 'new_violations', operator: 'GREATER_THAN', errorThreshold: '0', value: '3' },
      'new_violations is 3; at most 0 is allowed',
    ],
    [
      { metric: 'new_security_rating', operator: 'GT', errorThreshold: '1', value: '3.0' },
      'new_security_rating is C; A is required',
    ],
    [
      { metric: 'reliability_rating', operator: 'GT', errorThreshold: '2', value: '5' },
      'reliability_rating is E; B or better is required',
    ],
    [{ metric: 'bugs', operator: 'EQ', errorThreshold: '1' }, 'bugs failed; 1 is not allowed'],
    [{ metric: 'bugs', operator: 'NE', errorThreshold: '1', value: '2' }, 'bugs is 2; 1 is required'],
    [{ metric: 'bugs', operator: 'NEAR', errorThreshold: '1', value: '2' }, 'bugs is 2; the threshold is 1'],
    [{ metric: 'bugs' }, 'bugs failed'],
  ])('says what %j found and requires', (condition, words) => {
    const { faults } = sonarKind.judge({
      attestation_name: 'sonar',
      sonar_results: {
        project: { key: 'web' },
        qualityGate: { status: 'ERROR', conditions: [{ ...condition, status: 'ERROR' }] },
      },
    });
    expect(faults.map(describeFault)).toEqual([`${words} (quality gate)`]);
  });

  it('has a fault exactly if it is not compliant', () => {
    expect(judged('OK').faults).toEqual([]);
    expect(judged('NONE').faults).toEqual([{ value: 'the quality gate is NONE' }]);
    expect(judged('ERROR').faults).toEqual([{ value: 'the quality gate is ERROR' }]);
  });
});
