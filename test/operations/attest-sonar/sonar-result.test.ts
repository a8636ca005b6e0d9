import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { sonarKind, type SonarResults } from '../../../src/contract/attestations/sonar.ts';
import { gateStatuses } from '../../../src/contract/compliance.ts';
import { toReasons } from '../../../src/contract/reason.ts';
import { createSonarResult, type AttestedAnalysis } from '../../../src/operations/attest-sonar/sonar-result.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';

const sha = 'c'.repeat(40);

function attested(
  status: string,
  other: Partial<SonarResults> = {},
  attachment?: AttestedAnalysis['attachment'],
): AttestedAnalysis {
  const results: SonarResults = {
    analysedAt: '2026-01-02T03:04:05+0000',
    revision: sha,
    project: { key: 'acme:web', name: 'Web', url: 'https://sonar.example.com/dashboard?id=acme%3Aweb' },
    qualityGate: {
      name: 'Sonar way',
      status,
      conditions: [
        { metric: 'new_coverage', operator: 'LT', errorThreshold: '80', status: 'ERROR', value: '61.2' },
        { metric: 'new_bugs', operator: 'GREATER_THAN', errorThreshold: '0', status: 'OK', value: '0' },
        { metric: 'reopened_issues', status: 'OK' },
      ],
    },
    ...other,
  };
  const judgement = sonarKind.judge({ attestation_name: 'sonar', sonar_results: results });
  return {
    flow: 'web',
    trail: sha,
    attestationName: 'sonar',
    description: undefined,
    judgement,
    verdict: judgement.verdict,
    reasons: toReasons('sonar', judgement),
    remarks: [],
    attestationUrl: undefined,
    commit: { sha1: sha, author: 'Ann Dev <ann@example.com>', message: 'feat: lid\n\nbody', timestamp: 1 },
    sonar: {
      results,
      confirmedBy: "Sonar's list of analyses",
      dashboardUrl: results.project.url,
    },
    attachment,
    unattached: undefined,
    isRecorded: true,
    trailPageUrl: undefined,
    response: 'OK',
  };
}

describe('createSonarResult', () => {
  it.each([
    ['OK', 'compliant'],
    ['ERROR', 'non-compliant'],
    ['WARN', 'incomplete'],
    ['NONE', 'incomplete'],
  ])('takes the gate %s for %s', (status, outcome) => {
    expect(createSonarResult(attested(status))).toMatchObject({
      outcome,
      state: status,
      response: 'OK',
      commits: [sha],
    });
  });

  it('does not pass with an undocumented status, and says that the analysis was recorded', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom('ok', 'OK ', 'PASSED', '', 'constructor'), fc.string()), (status) => {
        fc.pre(!gateStatuses.some((known) => known === status));
        const { outcome, failure } = createSonarResult(attested(status));
        expect(outcome).toBe('error');
        expect(failure).toBeInstanceOf(ExternalError);
        expect(failure?.message).toContain(`${JSON.stringify(status)} (known: OK, WARN, ERROR, NONE)`);
        expect(failure?.message).toContain('the analysis was recorded');
      }),
    );
  });

  it('names the failed condition with its value and what is required, and where the analysis is recorded', () => {
    expect(createSonarResult(attested('ERROR')).conclusion).toBe(
      'sonar is NON-COMPLIANT: new_coverage is 61.2; at least 80 is required (quality gate). Recorded as sonar in flow web, for commit cccccccccccc.',
    );
    expect(createSonarResult(attested('OK')).conclusion).toMatch(/^sonar is compliant: the quality gate is OK/u);
  });

  it('names the first failed conditions and counts the others, which the report lists', () => {
    const conditions = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((metric) => ({ metric, status: 'ERROR' }));
    const { conclusion } = createSonarResult(attested('ERROR', { qualityGate: { status: 'ERROR', conditions } }));
    expect(conclusion.split('\n')).toEqual([
      'sonar is NON-COMPLIANT:',
      ...['a', 'b', 'c', 'd', 'e'].map((metric) => `${metric} failed (quality gate)`),
      'and 2 more',
      expect.stringMatching(/^Recorded as sonar/u),
    ]);
  });

  it.each([
    ['OK', '✅ compliant'],
    ['ERROR', '❌ failed'],
    ['NONE', '⏳ incomplete'],
    ['ODD', '❔ unknown'],
  ])('shows the trail, the commit and the state of this evidence: %s is %s', (status, state) => {
    const { table } = createSonarResult(attested(status)).report.evidence ?? {};
    expect(table?.columns).toEqual(['Trail', 'Commit', 'sonar']);
    expect(table?.rows.map((row) => row.at(-1)?.text)).toEqual([state]);
  });

  it('shows every condition, and says in words what it requires', () => {
    const table = createSonarResult(attested('ERROR')).report.tables[0];
    expect(table?.columns).toEqual(['Metric', 'Value', 'Requirement', 'Status']);
    expect(table?.rows.map((row) => row.map(({ text }) => text))).toEqual([
      ['new_coverage', '61.2', 'at least 80 is required', '❌ ERROR'],
      ['new_bugs', '0', 'at most 0 is allowed', '✅ OK'],
      ['reopened_issues', '', '', '✅ OK'],
    ]);
  });

  it('has no table if the gate has no conditions', () => {
    const { report } = createSonarResult(attested('NONE', { qualityGate: { status: 'NONE', conditions: [] } }));
    expect(report.tables).toEqual([]);
    expect(report.facts.find(({ label }) => label === 'Conditions')?.value.text).toContain('nothing was checked');
  });

  it('reports what was attested, with a link to the dashboard', () => {
    const attachment = {
      filename: 'evidence.tgz',
      size: 1234,
      parts: [
        { name: 'a', size: 1, open: () => Readable.from([]) },
        { name: 'b', size: 2, open: () => Readable.from([]) },
      ],
      open: () => Readable.from([]),
      dispose: () => Promise.resolve(),
    };
    const result = createSonarResult(attested('OK', { branch: { name: 'main' }, pullRequest: '12' }, attachment));
    expect(result.htmlUrl).toBe('https://sonar.example.com/dashboard?id=acme%3Aweb');
    expect(result.report.subject).toBe('Sonar analysis of Web');
    expect(result.report.facts.map(({ label, value }) => [label, value.text])).toEqual([
      ['Quality gate', 'OK (Sonar way)'],
      ['Project', 'acme:web'],
      ['Branch', 'main'],
      ['Pull request', '12'],
      ['Analysed at', '2026-01-02T03:04:05+0000'],
      ['Revision', "confirmed by Sonar's list of analyses"],
      ['Commit', sha],
      ['Commit message', 'feat: lid'],
      ['Author', 'Ann Dev <ann@example.com>'],
      ['Flow', 'web'],
      ['Trail', sha],
      ['Attestation', 'sonar'],
      ['Attachment', 'evidence.tgz of 2 files, 1234 bytes'],
    ]);
  });

  it('says that the revision is not verified, and never that the commit was analysed', () => {
    const verified = attested('OK', { qualityGate: { status: 'OK', conditions: [] } });
    const { results, dashboardUrl } = verified.sonar;
    const unverifiedReason = 'Sonar does not show the analyses (403: Insufficient privileges).';
    const result = createSonarResult({ ...verified, sonar: { results, dashboardUrl, unverifiedReason } });
    expect(result.outcome).toBe('compliant');
    expect(result.conclusion).toBe(
      'sonar is compliant: the quality gate is OK. Revision not verified: nothing confirms that commit cccccccccccc was analysed. Recorded as sonar in flow web, for commit cccccccccccc.',
    );
    expect(result.report.evidence?.notes).toEqual([
      '⚠️ Revision not verified: nothing confirms that commit cccccccccccc was analysed.',
    ]);
    expect(result.report.facts).toContainEqual({
      label: 'Revision',
      value: {
        text: 'not verified: Sonar does not show the analyses (403: Insufficient privileges).',
        href: undefined,
      },
    });
  });

  it('explains values that miss the threshold of a condition that Sonar ignored', () => {
    const qualityGate = { status: 'OK', ignoredConditions: true, conditions: [] };
    const { facts } = createSonarResult(attested('OK', { qualityGate })).report;
    expect(facts.find(({ label }) => label === 'Ignored conditions')?.value.text).toContain(
      'fewer than 20 lines are new',
    );
    expect(createSonarResult(attested('OK')).report.facts.map(({ label }) => label)).not.toContain(
      'Ignored conditions',
    );
  });

  it('links to nothing but the checked address of the dashboard', () => {
    const elsewhere = attested('OK', { project: { key: 'web', url: 'https://evil.example.com' } });
    const result = createSonarResult({ ...elsewhere, sonar: { ...elsewhere.sonar, dashboardUrl: undefined } });
    expect(JSON.stringify(result.report)).not.toContain('evil');
  });

  it('names a project without a name by its key', () => {
    const { report } = createSonarResult(attested('OK', { project: { key: 'acme:web' } }));
    expect(report.subject).toBe('Sonar analysis of acme:web');
  });
});
