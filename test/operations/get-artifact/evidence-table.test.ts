import { describe, expect, it } from '@jest/globals';
import type { Artifact } from '../../../src/contract/artifact.ts';
import { createEvidence } from '../../../src/operations/get-artifact/evidence-table.ts';
import { judgeArtifacts } from '../../../src/operations/get-artifact/judge-artifacts.ts';
import type { ArtifactLookup } from '../../../src/operations/get-artifact/lookup.ts';
import { createArtifactResult } from '../../../src/operations/get-artifact/artifact-result.ts';
import type { PollTiming } from '../../../src/operations/polling.ts';
import type { Evidence } from '../../../src/operations/report.ts';
import { decideResult } from '../../../src/step/run/gate.ts';
import { withoutMentions } from '../../../src/step/publish/comment-body.ts';
import { renderSummary, toSummaryContent } from '../../../src/step/report/summary.ts';
import { foundArtifact, judgementOf, failedLookup, withName } from '../../support/artifacts.ts';

const ok = { is_compliant: true, status: 'compliant' };

function failed(reason: string, page = 'https://compliance.example.com/sonar'): Readonly<Record<string, unknown>> {
  return { is_compliant: false, status: 'non-compliant', status_info: reason, html_url: page };
}

function evidenceOf(...looked: readonly ArtifactLookup[]): Evidence {
  return createEvidence(judgeArtifacts(looked));
}

function cells({ table }: Evidence): readonly (readonly string[])[] {
  return [table.columns, ...table.rows.map((row) => row.map(({ text }) => text))];
}

function lines({ problems }: Evidence): readonly string[] {
  return problems.map((line) => line.map(({ text }) => text).join(''));
}

describe('the evidence of one artifact', () => {
  const template = ['artifact', 'sonar,unit', 'lint', 'scan'];

  it('is a row with a column for each required attestation and each extra one', () => {
    const evidence = { sonar: failed('the quality gate is ERROR'), 'web.unit': ok, scan: { status: 'ODD' }, docs: ok };
    const found = evidenceOf(foundArtifact('a', 'non-compliant', { template, evidence }));
    expect(cells(found)).toEqual([
      ['Artifact', 'Fingerprint', 'State', 'sonar', 'unit', 'lint', 'scan', 'docs'],
      [
        ...['dist/a.tgz', 'aaaaaaaaaaaa', '❌ NON-COMPLIANT'],
        ...['❌ failed', '✅ compliant', '⬜ missing', '❔ unknown', '➕ extra'],
      ],
    ]);
    expect(lines(found)).toEqual([
      '❌ sonar: the quality gate is ERROR',
      '❔ scan: the service calls it "ODD"',
      '⬜ lint: required, but not recorded',
    ]);
    expect(found.problems[0]?.[1]?.href).toBe('https://compliance.example.com/sonar');
  });

  it('calls nothing missing or extra if the service shows no template', () => {
    const found = evidenceOf(foundArtifact('a', 'compliant', { evidence: { sonar: ok } }));
    expect(cells(found)[1]?.at(-1)).toBe('✅ compliant');
    expect(lines(found)).toEqual([]);
  });

  it('lists nothing for an artifact that is compliant, whatever its evidence looks like', () => {
    const found = evidenceOf(foundArtifact('a', 'compliant', { template, evidence: { sonar: { odd: 1 } } }));
    expect(lines(found)).toEqual([]);
  });

  it('accepts any attestation name, even that of an object property', () => {
    const evidence: Readonly<Record<string, unknown>> = Object.fromEntries<unknown>([
      ['__proto__', ok],
      ['constructor', { is_compliant: false }],
    ]);
    const found = evidenceOf(foundArtifact('a', 'non-compliant', { template: [], evidence }));
    expect(cells(found)[0]).toEqual(expect.arrayContaining(['__proto__', 'constructor']));
    expect(cells(found)[1]?.slice(-2)).toEqual(['➕ extra', '❌ failed (extra)']);
  });
});

describe('the evidence of several artifacts', () => {
  const template = ['sonar', 'unit'];

  it('has the worst first, and says the same thing of several of them once', () => {
    const found = evidenceOf(
      foundArtifact('a', 'compliant', { template, evidence: { sonar: ok, unit: ok } }),
      foundArtifact('b', 'incomplete', { template, evidence: { sonar: ok } }),
      foundArtifact('c', 'non-compliant', { template, evidence: { sonar: failed('ERROR'), unit: ok } }),
      foundArtifact('d', 'incomplete', { template, evidence: {} }),
      failedLookup('e'),
    );
    expect(cells(found).map((row) => [row[0], row[2], ...row.slice(4)])).toEqual([
      ['Artifact', 'State', 'sonar', 'unit'],
      ['dist/c.tgz', '❌ NON-COMPLIANT', '❌ failed', '✅ compliant'],
      ['dist/e.tgz', '⛔ error', '❔ unknown', '❔ unknown'],
      ['dist/b.tgz', '⏳ INCOMPLETE', '✅ compliant', '⬜ missing'],
      ['dist/d.tgz', '⏳ INCOMPLETE', '⬜ missing', '⬜ missing'],
      ['dist/a.tgz', '✅ COMPLIANT', '✅ compliant', '✅ compliant'],
    ]);
    expect(lines(found)).toEqual([
      '❌ sonar of dist/c.tgz: ERROR',
      '⬜ sonar of dist/d.tgz: required, but not recorded',
      '⬜ unit of dist/b.tgz, dist/d.tgz: required, but not recorded',
      '⛔ Artifact dist/e.tgz eeeeeeeeeeee could not be judged: no answer about e',
    ]);
  });

  it('distinguishes artifacts with the same name', () => {
    const same = (digit: string): ArtifactLookup =>
      withName(foundArtifact(digit, 'compliant', { filename: 'web.tgz' }), undefined);
    const found = evidenceOf(same('a'), same('b'));
    expect(cells(found).map(([name]) => name)).toEqual(['Artifact', 'web.tgz aaaaaaaaaaaa', 'web.tgz bbbbbbbbbbbb']);
  });

  it('says why an artifact is in its state if its evidence does not', () => {
    const found = evidenceOf(
      foundArtifact('a', 'non-compliant', { state_info: 'A policy of the flow.', evidence: {} }),
      foundArtifact('b', 'compliant'),
    );
    expect(lines(found)).toEqual(['❌ dist/a.tgz: NON-COMPLIANT: A policy of the flow']);
  });
});

describe('the evidence of many artifacts with many attestations', () => {
  const names = Array.from({ length: 30 }, (_, index) => `attestation-${index}`);
  const evidence = Object.fromEntries(names.map((name) => [name, ok]));

  function hundred(change: (index: number) => Partial<Artifact>): readonly ArtifactLookup[] {
    return Array.from({ length: 100 }, (_, index) => {
      const other = { template: names, evidence, ...change(index) };
      const verdict = other.evidence === evidence ? 'compliant' : 'non-compliant';
      const fingerprint = index.toString(16).padStart(64, '0');
      return withName(foundArtifact('a', verdict, { ...other, fingerprint }), `build/service-${index}.tar.gz`);
    });
  }

  it('shows the columns in which something is wrong, and counts the others', () => {
    const found = evidenceOf(
      ...hundred((index) => (index % 10 === 0 ? { evidence: { ...evidence, 'attestation-7': failed('ERROR') } } : {})),
    );
    expect(cells(found)[0]).toEqual(['Artifact', 'Fingerprint', 'State', 'Commit', 'attestation-7', 'Required']);
    expect(cells(found)[1]?.slice(-2)).toEqual(['❌ failed', '29 of 30']);
    expect(found.notes).toEqual([
      expect.stringMatching(/^✅ Required and compliant for every artifact \(29\): attestation-0, .*, and 19 more\.$/u),
    ]);
    expect(lines(found)).toEqual([
      '❌ attestation-7 of build/service-0.tar.gz, build/service-10.tar.gz, build/service-20.tar.gz, build/service-30.tar.gz, build/service-40.tar.gz, and 5 more: ERROR',
    ]);
  });

  it('fits into a summary and a comment, however much is wrong, with the verdict, rows and lines', () => {
    const worst = hundred((index) => ({
      evidence: Object.fromEntries(
        names.map((name) => [name, failed(`${name} of ${index} is <not> what it must be`.padEnd(500, '!'))]),
      ),
    }));
    const result = createArtifactResult(judgementOf(worst));
    const ending = { decision: decideResult(result, 'fail'), result, runUrl: undefined, summary: true };
    for (const room of [65_000, 1024 * 1024]) {
      const html = renderSummary(toSummaryContent(ending), room, withoutMentions);
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(room);
      expect(html).toContain('<h2>❌ Non-compliant: 100 artifacts of flow web</h2>');
      expect(html).toContain('<li>❌ attestation-0 of ');
      expect(html).toMatch(/more are in the|more rows are in the/u);
    }
  });
});

describe('the summary of artifacts', () => {
  function summaryOf(other: { readonly timing?: PollTiming }, ...looked: readonly ArtifactLookup[]): string {
    const result = createArtifactResult(judgementOf(looked, other));
    return renderSummary(
      toSummaryContent({ decision: decideResult(result, 'fail'), result, runUrl: undefined, summary: true }),
      65_536,
    );
  }
  const sonarFailed = { evidence: { sonar: failed('the quality gate is ERROR') }, state_info: 'Not compliant: sonar.' };

  it('has no sentence that repeats the table and the list', () => {
    const html = summaryOf({}, foundArtifact('a', 'non-compliant', sonarFailed));
    expect(html).toMatch(/^<h2>❌ Non-compliant: .*<\/h2>\n<h3>Evidence<\/h3>\n/u);
    expect(html).not.toContain('Not compliant: sonar');
    expect(html.match(/the quality gate is ERROR/gu)).toHaveLength(1);
    expect(summaryOf({}, foundArtifact('a', 'compliant'), foundArtifact('b', 'compliant'))).not.toContain(
      '<p>All 2 artifacts',
    );
  });

  it("has the service's reason if the evidence shows none", () => {
    const html = summaryOf({}, foundArtifact('a', 'non-compliant', { evidence: {}, state_info: 'Rejected by hand.' }));
    expect(html).toContain('<li>❌ NON-COMPLIANT: Rejected by hand</li>');
  });

  it('says that the time for waiting was up', () => {
    const timing = { polls: 3, milliseconds: 60_000, timedOut: true };
    expect(summaryOf({ timing }, foundArtifact('a', 'incomplete'))).toContain('timed out.</p>');
  });

  it('says why artifacts could not be judged', () => {
    expect(summaryOf({}, foundArtifact('a', 'compliant'), failedLookup('b'))).toContain('<p>1 of 2 artifacts');
  });
});
