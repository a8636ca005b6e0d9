import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { artifactResult } from '../../src/operations/artifact-result.ts';
import { MistakeError, TroubleError } from '../../src/runtime/failure.ts';
import { anArtifact, fingerprintOf, judged, judging, unjudged } from '../support/artifacts.ts';

describe('artifactResult of one artifact', () => {
  it.each([
    ['compliant', 'COMPLIANT'],
    ['non-compliant', 'NON-COMPLIANT'],
    ['incomplete', 'INCOMPLETE'],
  ] as const)('says what is %s, and answers the service’s own words', (verdict, state) => {
    const result = artifactResult(judging([judged('a', verdict, { state_info: 'Because of sonar.' })]));
    expect(result).toMatchObject({
      outcome: verdict,
      state,
      conclusion: `Artifact dist/a.tgz aaaaaaaaaaaa in flow web is ${state}. Because of sonar.`,
      fingerprint: fingerprintOf('a'),
      htmlUrl: 'https://compliance.example.com/acme/flows/web/artifacts/1',
      response: anArtifact({ filename: 'a.tgz', state, state_info: 'Because of sonar.' }),
    });
  });

  it('names the artifact as the service does where it was asked for by its fingerprint', () => {
    const result = artifactResult(judging([{ ...judged('a', 'compliant', { state_info: '' }), name: undefined }]));
    expect(result.conclusion).toBe('Artifact a.tgz aaaaaaaaaaaa in flow web is COMPLIANT.');
  });

  it('reports what the answer holds, and leaves out what it does not', () => {
    const { report } = artifactResult(
      judging([
        judged('a', 'compliant', {
          git_commit_info: {
            sha1: 'c'.repeat(40),
            message: 'feat: lid\n\nbody',
            author: 'Ann <ann@x>',
            branch: 'main',
          },
          template: ['artifact', 'sonar'],
          build_url: null,
        }),
      ]),
    );
    expect(report.facts.map(({ label, value }) => [label, value.text])).toEqual([
      ['State', 'COMPLIANT'],
      ['Why', 'All evidence is compliant: sonar.'],
      ['Artifact', 'a.tgz'],
      ['Fingerprint', fingerprintOf('a')],
      ['Flow', 'web'],
      ['Trail', 'trail-1'],
      ['Commit', 'c'.repeat(40)],
      ['Commit message', 'feat: lid'],
      ['Author', 'Ann <ann@x>'],
      ['Branch', 'main'],
      ['Template', 'artifact, sonar'],
    ]);
  });

  it('shows what it recognises of the evidence, and that the rest is there', () => {
    const { report } = artifactResult(
      judging([
        judged('a', 'incomplete', {
          evidence: {
            sonar: { is_compliant: false },
            unit: { is_compliant: true },
            scan: { status: 'COMPLETE' },
            word: 'MISSING',
            odd: { is_compliant: 'yes' },
            nothing: null,
          },
        }),
      ]),
    );
    expect(report.tables).toHaveLength(1);
    expect(report.tables[0]?.rows.map((row) => row.map(({ text }) => text))).toEqual([
      ['sonar', 'not compliant'],
      ['unit', 'compliant'],
      ['scan', 'COMPLETE'],
      ['word', 'MISSING'],
      ['odd', 'recorded'],
      ['nothing', 'recorded'],
    ]);
  });

  it('ends with the failure itself where the one artifact could not be judged: there is nothing to report around it', () => {
    const failure = new TroubleError({ what: 'no answer', remedy: 'Try again.' });
    expect(() => artifactResult(judging([unjudged('a', failure)]))).toThrow(failure);
  });
});

describe('artifactResult of several artifacts', () => {
  it.each([
    [['compliant', 'compliant'], 'compliant'],
    [['compliant', 'incomplete'], 'incomplete'],
    [['incomplete', 'compliant'], 'incomplete'],
    [['incomplete', 'non-compliant', 'compliant'], 'non-compliant'],
    [['non-compliant', 'incomplete'], 'non-compliant'],
  ] as const)('lets the worst of %p decide: %s', (verdicts, worst) => {
    const result = artifactResult(judging(verdicts.map((verdict, index) => judged(String(index), verdict))));
    expect(result.outcome).toBe(worst);
    expect(result.state).toBe(worst.toUpperCase());
  });

  it('passes all of them with one sentence', () => {
    expect(artifactResult(judging([judged('a', 'compliant'), judged('b', 'compliant')])).conclusion).toBe(
      'All 2 artifacts in flow web are COMPLIANT.',
    );
  });

  it('names each that is not compliant, and why', () => {
    const result = artifactResult(
      judging([
        judged('a', 'compliant'),
        judged('b', 'non-compliant', { state_info: 'Not compliant: sonar.' }),
        judged('c', 'incomplete', { state_info: '' }),
      ]),
    );
    expect(result.conclusion).toBe(
      '2 of 3 artifacts in flow web are not compliant: Artifact dist/b.tgz bbbbbbbbbbbb is NON-COMPLIANT: Not compliant: sonar; Artifact dist/c.tgz cccccccccccc is INCOMPLETE.',
    );
  });

  it('reports around what could not be judged: the others are in the answer and in the table', () => {
    const result = artifactResult(judging([judged('a', 'compliant'), unjudged('b'), judged('c', 'incomplete')]));
    expect(result).toMatchObject({
      outcome: 'error',
      state: undefined,
      fingerprint: ['a', 'b', 'c'].map(fingerprintOf).join('\n'),
      conclusion: expect.stringContaining('dist/b.tgz bbbbbbbbbbbb could not be judged'),
      response: [
        { fingerprint: fingerprintOf('a'), file: 'dist/a.tgz', artifact: { state: 'COMPLIANT' } },
        { fingerprint: fingerprintOf('b'), file: 'dist/b.tgz', error: 'no answer about b' },
        { fingerprint: fingerprintOf('c'), file: 'dist/c.tgz', artifact: { state: 'INCOMPLETE' } },
      ],
    });
    expect(result.failure).toBeInstanceOf(TroubleError);
    expect(result.report.tables[0]?.rows.map((row) => [row[0]?.text, row[1]?.text, row[4]?.text])).toEqual([
      ['dist/a.tgz', 'COMPLIANT', 'All evidence is compliant: sonar.'],
      ['dist/b.tgz', 'error', 'no answer about b'],
      ['dist/c.tgz', 'INCOMPLETE', 'All evidence is compliant: sonar.'],
    ]);
  });

  it('puts several failures into one, each remedy once', () => {
    const { failure } = artifactResult(judging([unjudged('a'), unjudged('b')]));
    expect(failure).toMatchObject({
      kind: 'trouble',
      message: 'no answer about a\nno answer about b',
      remedy: 'Try again later.',
    });
  });

  it('blames the user only where every failure is the user’s', () => {
    const mistake = new MistakeError({ what: 'no such flow', remedy: 'Create it.' });
    expect(artifactResult(judging([unjudged('a', mistake), unjudged('b', mistake)])).failure?.kind).toBe('mistake');
    expect(artifactResult(judging([unjudged('a', mistake), unjudged('b')])).failure?.kind).toBe('trouble');
  });

  it('never passes while one is not compliant, and keeps the order in which they were asked', () => {
    const one = fc.constantFrom('compliant', 'non-compliant', 'incomplete', 'failure');
    fc.assert(
      fc.property(fc.array(one, { minLength: 2, maxLength: 10 }), (ends) => {
        const looked = ends.map((end, index) =>
          end === 'failure' ? unjudged(String(index)) : judged(String(index), end as 'compliant'),
        );
        const result = artifactResult(judging(looked));
        expect(result.outcome === 'compliant').toBe(ends.every((end) => end === 'compliant'));
        expect(result.outcome === 'non-compliant').toBe(ends.includes('non-compliant'));
        expect(result.outcome === 'error').toBe(ends.includes('failure') && !ends.includes('non-compliant'));
        expect(result.fingerprint).toBe(ends.map((_, index) => fingerprintOf(String(index))).join('\n'));
        expect(result.report.tables[0]?.rows).toHaveLength(ends.length);
      }),
    );
  });
});
