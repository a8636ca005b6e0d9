import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createArtifactResult } from '../../../src/operations/get-artifact/artifact-result.ts';
import { UserError, ExternalError, type Failure } from '../../../src/runtime/failure.ts';
import { renderSummary } from '../../../src/step/report/summary.ts';
import {
  anArtifact,
  fingerprintOf,
  foundArtifact,
  judgementOf,
  failedLookup,
  withoutCommit,
  withName,
} from '../../support/artifacts.ts';

describe('createArtifactResult of one artifact', () => {
  it.each([
    ['compliant', 'COMPLIANT'],
    ['non-compliant', 'NON-COMPLIANT'],
    ['incomplete', 'INCOMPLETE'],
  ] as const)('reports %s with the service’s own words', (verdict, state) => {
    const result = createArtifactResult(
      judgementOf([foundArtifact('a', verdict, { state_info: 'Because of sonar.' })]),
    );
    expect(result).toMatchObject({
      outcome: verdict,
      state,
      conclusion: `Artifact dist/a.tgz aaaaaaaaaaaa in flow web is ${state}. Because of sonar.`,
      fingerprint: fingerprintOf('a'),
      htmlUrl: 'https://compliance.example.com/acme/flows/web/artifacts/1',
      response: anArtifact({ filename: 'a.tgz', state, state_info: 'Because of sonar.' }),
    });
  });

  it('uses the service’s name for an artifact that was given by fingerprint', () => {
    const result = createArtifactResult(
      judgementOf([withName(foundArtifact('a', 'compliant', { state_info: '' }), undefined)]),
    );
    expect(result.conclusion).toBe('Artifact a.tgz aaaaaaaaaaaa in flow web is COMPLIANT.');
  });

  it('reports what the answer has, and leaves out the rest', () => {
    const { report } = createArtifactResult(
      judgementOf([
        foundArtifact('a', 'compliant', {
          git_commit_info: {
            sha1: 'c'.repeat(40),
            message: 'feat: lid\n\nbody',
            author: 'Ann <ann@x>',
            branch: 'main',
          },
          template: ['artifact', 'sonar'],
        }),
      ]),
    );
    expect(report.facts.map(({ label, value }) => [label, value.text])).toEqual([
      ['Artifact', 'a.tgz'],
      ['Fingerprint', fingerprintOf('a')],
      ['Flow', 'web'],
      ['Trail', 'trail-1'],
      ['Commit', 'c'.repeat(40)],
      ['Commit message', 'feat: lid'],
      ['Author', 'Ann <ann@x>'],
      ['Branch', 'main'],
    ]);
  });

  it('throws the failure if the only artifact could not be judged, because there is nothing else to report', () => {
    const failure = new ExternalError({ what: 'no answer', remedy: 'Try again.' });
    expect(() => createArtifactResult(judgementOf([failedLookup('a', failure)]))).toThrow(failure);
  });
});

describe('createArtifactResult of several artifacts', () => {
  it.each([
    [['compliant', 'compliant'], 'compliant'],
    [['compliant', 'incomplete'], 'incomplete'],
    [['incomplete', 'compliant'], 'incomplete'],
    [['incomplete', 'non-compliant', 'compliant'], 'non-compliant'],
    [['non-compliant', 'incomplete'], 'non-compliant'],
  ] as const)('lets the worst of %p decide: %s', (verdicts, worst) => {
    const result = createArtifactResult(
      judgementOf(verdicts.map((verdict, index) => foundArtifact(String(index), verdict))),
    );
    expect(result.outcome).toBe(worst);
    expect(result.state).toBe(worst.toUpperCase());
  });

  it('has one sentence if all are compliant', () => {
    expect(
      createArtifactResult(judgementOf([foundArtifact('a', 'compliant'), foundArtifact('b', 'compliant')])).conclusion,
    ).toBe('All 2 artifacts in flow web are COMPLIANT.');
  });

  it('names the worst one and its reason, and counts the others', () => {
    const result = createArtifactResult(
      judgementOf([
        foundArtifact('a', 'compliant'),
        foundArtifact('b', 'non-compliant', { state_info: 'Not compliant: sonar.' }),
        foundArtifact('c', 'incomplete', { state_info: '' }),
      ]),
    );
    expect(result.conclusion).toBe(
      '2 of 3 artifacts in flow web are not compliant: Artifact dist/b.tgz bbbbbbbbbbbb is NON-COMPLIANT: Not compliant: sonar; and 1 more.',
    );
  });

  it('reports the others if one could not be judged', () => {
    const result = createArtifactResult(
      judgementOf([foundArtifact('a', 'compliant'), failedLookup('b'), foundArtifact('c', 'incomplete')]),
    );
    expect(result).toMatchObject({
      outcome: 'error',
      state: undefined,
      fingerprint: ['a', 'b', 'c'].map(fingerprintOf).join('\n'),
      conclusion:
        '1 of 3 artifacts in flow web is not compliant: Artifact dist/c.tgz cccccccccccc is INCOMPLETE: All evidence is compliant: sonar. 1 could not be judged: Artifact dist/b.tgz bbbbbbbbbbbb: no answer about b.',
      response: [
        { fingerprint: fingerprintOf('a'), file: 'dist/a.tgz', artifact: { state: 'COMPLIANT' } },
        { fingerprint: fingerprintOf('b'), file: 'dist/b.tgz', error: 'no answer about b' },
        { fingerprint: fingerprintOf('c'), file: 'dist/c.tgz', artifact: { state: 'INCOMPLETE' } },
      ],
    });
    expect(result.failure).toBeInstanceOf(ExternalError);
    const { table, problems } = result.report.evidence ?? {};
    expect(table?.rows.map((row) => [row[0]?.text, row[2]?.text])).toEqual([
      ['dist/b.tgz', '⛔ error'],
      ['dist/c.tgz', '⏳ INCOMPLETE'],
      ['dist/a.tgz', '✅ COMPLIANT'],
    ]);
    expect(problems?.map((line) => line.map(({ text }) => text).join(''))).toEqual([
      '⛔ Artifact dist/b.tgz bbbbbbbbbbbb could not be judged: no answer about b',
      '⏳ dist/c.tgz: INCOMPLETE: All evidence is compliant: sonar',
    ]);
  });

  it('combines several failures into one, with each remedy once', () => {
    const { failure } = createArtifactResult(judgementOf([failedLookup('a'), failedLookup('b')]));
    expect(failure).toMatchObject({
      kind: 'external',
      message:
        '2 of 2 artifacts in flow web could not be judged: Artifact dist/a.tgz aaaaaaaaaaaa: no answer about a; Artifact dist/b.tgz bbbbbbbbbbbb: no answer about b.',
      remedy: 'Try again later.',
    });
  });

  it('reports an outage once with the number of affected artifacts, as the original failure', () => {
    const down = (digit: string): Failure =>
      new ExternalError({
        what: `GET /${fingerprintOf(digit)} returned 503: Back soon`,
        remedy: 'Try again later.',
      });
    const first = down('a');
    const { conclusion, failure } = createArtifactResult(
      judgementOf([failedLookup('a', first), failedLookup('b', down('b')), failedLookup('c', down('c'))]),
    );
    expect(conclusion).toBe(
      `3 of 3 artifacts in flow web could not be judged: Artifact dist/a.tgz aaaaaaaaaaaa, and 2 more: GET /${fingerprintOf('a')} returned 503: Back soon.`,
    );
    expect(failure).toBe(first);
  });

  it('names the worst of many, and counts the others', () => {
    const hundred = Array.from({ length: 100 }, (_, index) =>
      foundArtifact(String(index), index === 99 ? 'non-compliant' : 'incomplete', { state_info: 'Missing: sonar.' }),
    );
    const { conclusion, report } = createArtifactResult(judgementOf(hundred));
    expect(conclusion).toMatch(
      /^100 of 100 artifacts in flow web are not compliant: Artifact dist\/99\.tgz \d+ is NON-COMPLIANT: Missing: sonar; and 99 more\.$/u,
    );
    expect(report.evidence?.table.rows[0]?.[0]?.text).toBe('dist/99.tgz');
    expect(
      createArtifactResult(judgementOf(hundred.map((_, index) => failedLookup(String(index))))).conclusion,
    ).toMatch(/^100 of 100 artifacts in flow web could not be judged: .*; and 95 more\.$/u);
  });

  it('fits into an annotation, regardless of their number, and names the worst of each kind', () => {
    const one = fc.constantFrom('compliant', 'non-compliant', 'incomplete', 'failure');
    fc.assert(
      fc.property(fc.array(one, { minLength: 2, maxLength: 400 }), (ends) => {
        const looked = ends.map((end, index) =>
          end === 'failure' ? failedLookup(String(index)) : foundArtifact(String(index), end as 'compliant'),
        );
        const { conclusion } = createArtifactResult(judgementOf(looked));
        expect(conclusion.length).toBeLessThan(4096);
        expect(conclusion.includes('no answer about')).toBe(ends.includes('failure'));
        expect(conclusion.includes('is NON-COMPLIANT')).toBe(ends.includes('non-compliant'));
      }),
      { numRuns: 20 },
    );
  });

  it('leaves room for the reason in a comment, regardless of their number', () => {
    const looked = Array.from({ length: 400 }, (_, index) => foundArtifact(String(index), 'non-compliant'));
    const { conclusion, report } = createArtifactResult(judgementOf(looked));
    const html = renderSummary({ verdict: '❌ Non-compliant', conclusion, report, runUrl: undefined }, 65_536);
    expect(html).toContain('400 of 400 artifacts in flow web are not compliant: Artifact dist/0.tgz');
  });

  it('names each commit once, and none if the service names none', () => {
    const [one, other] = ['c'.repeat(40), 'd'.repeat(40)];
    const looked = [
      foundArtifact('a', 'compliant'),
      withoutCommit(foundArtifact('b', 'compliant', { git_commit_info: { sha1: other } })),
      foundArtifact('c', 'compliant', { git_commit: one }),
      failedLookup('d'),
    ];
    expect(createArtifactResult(judgementOf(looked)).commits).toEqual([one, other]);
    expect(createArtifactResult(judgementOf([foundArtifact('a', 'compliant')])).commits).toEqual([one]);
    expect(createArtifactResult(judgementOf([withoutCommit(foundArtifact('a', 'compliant'))])).commits).toBeUndefined();
  });

  it('is the user’s mistake only if every failure is', () => {
    const mistake = new UserError({ what: 'no such flow', remedy: 'Create it.' });
    const another = new UserError({ what: 'no such trail', remedy: 'Create it.' });
    expect(
      createArtifactResult(judgementOf([failedLookup('a', mistake), failedLookup('b', another)])).failure?.kind,
    ).toBe('user');
    expect(createArtifactResult(judgementOf([failedLookup('a', mistake), failedLookup('b')])).failure?.kind).toBe(
      'external',
    );
  });

  it('never passes while one is not compliant, and keeps the order in which they were asked', () => {
    const one = fc.constantFrom('compliant', 'non-compliant', 'incomplete', 'failure');
    fc.assert(
      fc.property(fc.array(one, { minLength: 2, maxLength: 10 }), (ends) => {
        const looked = ends.map((end, index) =>
          end === 'failure' ? failedLookup(String(index)) : foundArtifact(String(index), end as 'compliant'),
        );
        const result = createArtifactResult(judgementOf(looked));
        expect(result.outcome === 'compliant').toBe(ends.every((end) => end === 'compliant'));
        expect(result.outcome === 'non-compliant').toBe(ends.includes('non-compliant'));
        expect(result.outcome === 'error').toBe(ends.includes('failure') && !ends.includes('non-compliant'));
        expect(result.fingerprint).toBe(ends.map((_, index) => fingerprintOf(String(index))).join('\n'));
        expect(result.report.evidence?.table.rows).toHaveLength(ends.length);
      }),
    );
  });
});
