import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SonarResults } from '../../../src/contract/attestations/sonar.ts';
import { gateStatuses } from '../../../src/contract/compliance.ts';
import type { EvidencePresentation } from '../../../src/operations/attest/attestation-report.ts';
import { presentAnalysis } from '../../../src/operations/attest-sonar/sonar-result.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';
import { shas } from '../../support/events.ts';
import { always, performOperation } from '../../support/perform-operation.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

const dashboardUrl = 'https://sonar.example.com/dashboard?id=acme%3Aweb';
/** What is known of an analysis besides its results. */
type Source =
  | { readonly confirmedBy: string; readonly dashboardUrl: string | undefined }
  | { readonly unverifiedReason: string; readonly dashboardUrl: string | undefined };

const confirmed = { confirmedBy: "Sonar's list of analyses", dashboardUrl };

function resultsOf(status: string, other: Partial<SonarResults> = {}): SonarResults {
  return {
    analysedAt: '2026-01-02T03:04:05+0000',
    revision: shas.head,
    project: { key: 'acme:web', name: 'Web', url: dashboardUrl },
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
}

function present(results: SonarResults, source: Source = confirmed): EvidencePresentation {
  return presentAnalysis({ results, ...source }, { commit: { sha1: shas.head, timestamp: 1 }, isRecorded: true });
}

function factsOf({ facts = [] }: EvidencePresentation): readonly (readonly [label: string, text: string])[] {
  return facts.map(({ label, value }) => [label, value.text]);
}

/** Attests a JSON report, whose revision nothing confirms. */
async function attest(results: SonarResults): Promise<OperationResult> {
  await workspace.write('sonar.json', JSON.stringify({ ...results, serverUrl: 'https://sonar.example.com' }));
  const inputs = { flow: 'web', 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn' };
  return (await performOperation('attest-sonar', inputs, always(201, 'OK'), workspace.path)).result;
}

const unverified = `Revision not verified: nothing confirms that commit ${shas.head.slice(0, 12)} was analysed.`;
const recorded = `Recorded as sonar in flow web, for commit ${shas.head.slice(0, 12)}.`;

describe('the result of attest-sonar', () => {
  it.each([
    ['OK', 'compliant', 'sonar is compliant: the quality gate is OK'],
    ['ERROR', 'non-compliant', 'sonar is NON-COMPLIANT: new_coverage is 61.2; at least 80 is required (quality gate).'],
    ['WARN', 'incomplete', 'sonar is INCOMPLETE: '],
    ['NONE', 'incomplete', 'sonar is INCOMPLETE: '],
  ])('for the gate %s is %s', async (status, outcome, sentence) => {
    const result = await attest(resultsOf(status));
    expect(result).toMatchObject({
      outcome,
      state: status,
      response: 'OK',
      commits: [shas.head],
      htmlUrl: dashboardUrl,
    });
    expect(result.conclusion.startsWith(sentence)).toBe(true);
    expect(result.conclusion.endsWith(` ${unverified} ${recorded}`)).toBe(true);
    const reason = outcome === 'compliant' ? [expect.stringMatching(/^sonar: the quality gate is OK/u)] : [];
    expect(result.report.evidence).toEqual({ notes: [...reason, `⚠️ ${unverified}`] });
  });

  it('is an error for an undocumented status', async () => {
    const result = await attest(resultsOf('ODD'));
    expect(result).toMatchObject({
      outcome: 'error',
      failure: expect.any(ExternalError),
      state: 'ODD',
      response: 'OK',
    });
  });
});

describe('presentAnalysis', () => {
  it('does not judge by an undocumented status, and says that the analysis was recorded', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom('ok', 'OK ', 'PASSED', '', 'constructor'), fc.string()), (status) => {
        fc.pre(!gateStatuses.some((known) => known === status));
        const { failure } = present(resultsOf(status));
        expect(failure?.message).toContain(`${JSON.stringify(status)} (known: OK, WARN, ERROR, NONE)`);
        expect(failure?.message).toContain('the analysis was recorded');
      }),
    );
  });

  it('shows every condition, and says in words what it requires', () => {
    const [table] = present(resultsOf('ERROR')).tables ?? [];
    expect(table?.columns).toEqual(['Metric', 'Value', 'Requirement', 'Status']);
    expect(table?.rows.map((row) => row.map(({ text }) => text))).toEqual([
      ['new_coverage', '61.2', 'at least 80 is required', '❌ ERROR'],
      ['new_bugs', '0', 'at most 0 is allowed', '✅ OK'],
      ['reopened_issues', '', '', '✅ OK'],
    ]);
  });

  it('has no table if the gate has no conditions', () => {
    const presentation = present(resultsOf('NONE', { qualityGate: { status: 'NONE', conditions: [] } }));
    expect(presentation.tables).toEqual([]);
    expect(factsOf(presentation)).toContainEqual(['Conditions', expect.stringContaining('nothing was checked')]);
  });

  it('reports what was analysed, with a link to the dashboard', () => {
    const presentation = present(resultsOf('OK', { branch: { name: 'main' }, pullRequest: '12' }));
    expect(presentation).toMatchObject({ href: dashboardUrl, subject: 'Sonar analysis of Web', notes: [] });
    expect(factsOf(presentation)).toEqual([
      ['Quality gate', 'OK (Sonar way)'],
      ['Project', 'acme:web'],
      ['Branch', 'main'],
      ['Pull request', '12'],
      ['Analysed at', '2026-01-02T03:04:05+0000'],
      ['Revision', "confirmed by Sonar's list of analyses"],
    ]);
  });

  it('says why the revision is not verified', () => {
    const unverifiedReason = 'Sonar does not show the analyses (403: Insufficient privileges).';
    const presentation = present(resultsOf('OK'), { dashboardUrl, unverifiedReason });
    expect(presentation.notes).toEqual([unverified]);
    expect(factsOf(presentation)).toContainEqual(['Revision', `not verified: ${unverifiedReason}`]);
  });

  it('explains values that miss the threshold of a condition that Sonar ignored', () => {
    const qualityGate = { status: 'OK', ignoredConditions: true, conditions: [] };
    expect(factsOf(present(resultsOf('OK', { qualityGate })))).toContainEqual([
      'Ignored conditions',
      expect.stringContaining('fewer than 20 lines are new'),
    ]);
  });

  it('links to nothing but the checked address of the dashboard', () => {
    const results = resultsOf('OK', { project: { key: 'web', url: 'https://evil.example.com' } });
    expect(JSON.stringify(present(results, { ...confirmed, dashboardUrl: undefined }))).not.toContain('evil');
  });

  it('names a project without a name by its key', () => {
    expect(present(resultsOf('OK', { project: { key: 'acme:web' } })).subject).toBe('Sonar analysis of acme:web');
  });
});
