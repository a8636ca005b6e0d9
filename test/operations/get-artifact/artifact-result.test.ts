import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Reason } from '../../../src/contract/reason.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { renderSummary } from '../../../src/step/report/summary.ts';
import {
  type AnsweredArtifact,
  failedLookup,
  foundArtifact,
  lookUp,
  numberedFingerprint,
  unknownArtifact,
} from '../../support/artifact-lookups.ts';
import { anArtifact } from '../../support/artifacts.ts';
import { failureOf } from '../../support/failures.ts';

const sonarReason: Reason = {
  state: 'failed',
  about: 'sonar',
  rule: 'quality gate',
  value: 'new_coverage is 61.2',
  limit: 'at least 80 is required',
  html_url: 'https://compliance.example.com/sonar',
};
const unitReason: Reason = { state: 'missing', about: 'unit', rule: 'template of the flow', value: 'not recorded' };
const scanReason: Reason = {
  state: 'failed',
  about: 'scan',
  value: 'not compliant',
  description: '2 high vulnerabilities',
};

const short = (number: number): string => numberedFingerprint(number).slice(0, 12);

async function resultOf(...artifacts: readonly AnsweredArtifact[]): Promise<OperationResult> {
  return (await lookUp(artifacts)).result;
}

const reasonsOf = ({ report }: OperationResult): readonly Reason[] => report.reasons ?? [];

describe('the result of one artifact', () => {
  it('is compliant with the service’s own words', async () => {
    const info = 'All evidence is compliant: sonar.';
    expect(await resultOf(foundArtifact(1, 'compliant'))).toMatchObject({
      outcome: 'compliant',
      state: 'COMPLIANT',
      conclusion: `Artifact 1.tgz ${short(1)} is COMPLIANT in flow web. ${info}`,
      fingerprint: numberedFingerprint(1),
      htmlUrl: 'https://compliance.example.com/acme/flows/web/artifacts/1',
      response: anArtifact({ fingerprint: numberedFingerprint(1), filename: '1.tgz' }),
      report: { reasons: [] },
    });
  });

  it('has the reasons of the answer, and no others', async () => {
    const result = await resultOf(
      foundArtifact(1, 'non-compliant', { reasons: [sonarReason], evidence: { unit: null } }),
    );
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      state: 'NON-COMPLIANT',
      conclusion: `Artifact 1.tgz ${short(1)} is NON-COMPLIANT in flow web: sonar: new_coverage is 61.2; at least 80 is required (quality gate).`,
      report: { reasons: [sonarReason] },
    });
  });

  it('has several reasons in a line each, failed before missing, with the sender’s description', async () => {
    const { conclusion } = await resultOf(
      foundArtifact(1, 'non-compliant', { reasons: [unitReason, sonarReason, scanReason] }),
    );
    expect(conclusion.split('\n')).toEqual([
      `Artifact 1.tgz ${short(1)} is NON-COMPLIANT in flow web:`,
      'sonar: new_coverage is 61.2; at least 80 is required (quality gate)',
      'scan: not compliant: 2 high vulnerabilities',
      'unit: not recorded (template of the flow)',
    ]);
  });

  it('names the worst of many reasons, and counts the others', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...sonarReason, about: `sonar-${index}` }));
    const { conclusion } = await resultOf(foundArtifact(1, 'non-compliant', { reasons: many }));
    expect(conclusion.split('\n').slice(-2)).toEqual([expect.stringMatching(/^sonar-4: /u), 'and 35 more']);
  });

  it('leaves out the entries of another service that are not reasons, and what is odd in the others', async () => {
    const odd = ['sonar', null, { about: 'sonar' }, { ...unitReason, state: 'late' }, { ...unitReason, about: '' }];
    const partly = { ...sonarReason, limit: 80, html_url: null, extra: 1 };
    const result = await resultOf(foundArtifact(1, 'non-compliant', { reasons: [...odd, partly, unitReason] }));
    expect(reasonsOf(result)).toMatchObject([{ about: 'sonar', value: 'new_coverage is 61.2' }, unitReason]);
    expect(result.conclusion).toContain('\nsonar: new_coverage is 61.2 (quality gate)\n');
  });

  it.each([
    ['only odd entries', ['sonar', {}]],
    ['a list of another form', 'sonar'],
    ['none', []],
  ])('derives the reasons from the evidence if the answer has %s', async (_what, reasons) => {
    const evidence = {
      sonar: { is_compliant: false, status_info: 'the quality gate is ERROR', html_url: 'https://c.example.com/s' },
      scan: { is_compliant: false, description: '2 high vulnerabilities' },
      odd: { status: 'ODD' },
      good: { is_compliant: true },
    };
    const answer = { evidence, template: ['artifact', 'unit', 'sonar'], ...{ reasons } } as object;
    expect(reasonsOf(await resultOf(foundArtifact(1, 'non-compliant', answer)))).toEqual([
      { state: 'failed', about: 'sonar', value: 'the quality gate is ERROR', html_url: 'https://c.example.com/s' },
      { state: 'failed', about: 'scan', value: 'not compliant', description: '2 high vulnerabilities' },
      { state: 'incomplete', about: 'odd', value: 'the service calls it "ODD"' },
      { state: 'missing', about: 'unit', rule: 'template', value: 'not recorded' },
    ]);
  });

  it('takes the words about the state if nothing else explains it, and does not repeat the name', async () => {
    const result = await resultOf(foundArtifact(1, 'non-compliant', { state_info: 'Rejected by hand.' }));
    expect(result.conclusion).toBe(`Artifact 1.tgz ${short(1)} is NON-COMPLIANT in flow web: Rejected by hand.`);
    expect(reasonsOf(result)).toMatchObject([{ state: 'failed', about: '1.tgz', value: 'Rejected by hand' }]);
    const silent = await resultOf(foundArtifact(1, 'incomplete', { state_info: '' }));
    expect(reasonsOf(silent)).toMatchObject([
      { state: 'incomplete', value: 'the service says INCOMPLETE and gives no reason' },
    ]);
  });

  it('reports what the answer has, and leaves out the rest', async () => {
    const { report } = await resultOf(
      foundArtifact(1, 'compliant', {
        git_commit_info: {
          sha1: 'c'.repeat(40),
          message: 'feat: lid\n\nbody',
          author: 'Ann <ann@x>',
          branch: 'main',
        },
        template: ['artifact', 'sonar'],
      }),
    );
    expect(report.facts.map(({ label, value }) => [label, value.text])).toEqual([
      ['Artifact', '1.tgz'],
      ['Fingerprint', numberedFingerprint(1)],
      ['Flow', 'web'],
      ['Trail', 'trail-1'],
      ['Commit', 'c'.repeat(40)],
      ['Commit message', 'feat: lid'],
      ['Author', 'Ann <ann@x>'],
      ['Branch', 'main'],
    ]);
  });

  it('is the failure if it could not be judged, because there is nothing else to report', async () => {
    expect((await failureOf(resultOf(failedLookup(1)))).message).toContain('returned 503: Back soon');
  });
});

describe('the result of an artifact that nobody reported', () => {
  it('is incomplete, and says what is missing', async () => {
    const result = await resultOf(unknownArtifact(1));
    expect(result).toMatchObject({
      outcome: 'incomplete',
      state: 'INCOMPLETE',
      conclusion: `Artifact ${short(1)} is INCOMPLETE in flow web: not reported to flow web.`,
      fingerprint: numberedFingerprint(1),
      htmlUrl: undefined,
      commits: undefined,
      response: { fingerprint: numberedFingerprint(1), verdict: 'incomplete', reasons: [{ state: 'missing' }] },
    });
    expect(result.report.evidence?.table?.rows[0]?.map(({ text }) => text)).toEqual([
      short(1),
      short(1),
      '⬜ not reported',
    ]);
  });

  it.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ trail: 'pr-3' }, 'not reported to trail pr-3 of flow web'],
    [
      { 'attestation-id': '1a2b3c4d-0000-1111-2222-12345678' },
      'not reported to flow web as 1a2b3c4d-0000-1111-2222-12345678',
    ],
  ])('names what the step asked for: %j', async (inputs, value) => {
    const { result } = await lookUp([unknownArtifact(1)], inputs);
    expect(reasonsOf(result)).toEqual([{ state: 'missing', about: short(1), value }]);
  });

  it('is one of several', async () => {
    const result = await resultOf(foundArtifact(1, 'compliant'), unknownArtifact(2));
    expect(result).toMatchObject({
      outcome: 'incomplete',
      conclusion: `1 of 2 artifacts is not compliant in flow web: ${short(2)}: not reported to flow web.`,
      response: [{ verdict: 'compliant' }, { fingerprint: numberedFingerprint(2), verdict: 'incomplete' }],
    });
  });

  it('is an error if there is no such flow, which names the operation that creates it', async () => {
    for (const message of ['Flow not found', "Flow named 'web' does not exist for organization 'acme'"]) {
      const failure = await failureOf(resultOf(failedLookup(1, { status: 404, body: { message } })));
      expect(failure).toMatchObject({ kind: 'user', remedy: expect.stringContaining('`create-flow`') });
    }
  });
});

describe('the result of several artifacts', () => {
  it.each([
    [['compliant', 'compliant'], 'compliant'],
    [['compliant', 'incomplete'], 'incomplete'],
    [['incomplete', 'compliant'], 'incomplete'],
    [['incomplete', 'non-compliant', 'compliant'], 'non-compliant'],
    [['non-compliant', 'incomplete'], 'non-compliant'],
  ] as const)('lets the worst of %p decide: %s', async (verdicts, worst) => {
    const result = await resultOf(...verdicts.map((verdict, index) => foundArtifact(index, verdict)));
    expect(result).toMatchObject({ outcome: worst, state: worst.toUpperCase() });
  });

  it('has one sentence if all are compliant', async () => {
    const { conclusion } = await resultOf(foundArtifact(1, 'compliant'), foundArtifact(2, 'compliant'));
    expect(conclusion).toBe('All 2 artifacts are COMPLIANT in flow web.');
  });

  it('names each reason once, with the artifacts that have it', async () => {
    const result = await resultOf(
      foundArtifact(1, 'compliant'),
      foundArtifact(2, 'non-compliant', { reasons: [sonarReason, unitReason] }),
      foundArtifact(3, 'incomplete', { reasons: [unitReason] }),
      foundArtifact(4, 'non-compliant', { state_info: 'Rejected by hand.' }),
    );
    expect(result.conclusion.split('\n')).toEqual([
      '3 of 4 artifacts are not compliant in flow web:',
      'sonar of 2.tgz: new_coverage is 61.2; at least 80 is required (quality gate)',
      '4.tgz: Rejected by hand',
      'unit of 2.tgz, 3.tgz: not recorded (template of the flow)',
    ]);
    expect(reasonsOf(result)).toMatchObject([{ html_url: sonarReason.html_url }, {}, { state: 'missing' }]);
  });

  it('links a reason only if it has one page', async () => {
    const [own, other] = [sonarReason, { ...sonarReason, html_url: 'https://compliance.example.com/other' }];
    const shared = await resultOf(
      foundArtifact(1, 'non-compliant', { reasons: [own] }),
      foundArtifact(2, 'non-compliant', { reasons: [own] }),
    );
    const different = await resultOf(
      foundArtifact(1, 'non-compliant', { reasons: [own] }),
      foundArtifact(2, 'non-compliant', { reasons: [other] }),
    );
    expect(reasonsOf(shared)).toEqual([{ ...own, about: 'sonar of 1.tgz, 2.tgz' }]);
    expect(reasonsOf(different)).toHaveLength(1);
    expect(reasonsOf(different)[0]).not.toHaveProperty('html_url');
  });

  it('distinguishes artifacts with the same name', async () => {
    const same = { filename: 'web.tgz', reasons: [unitReason] };
    const result = await resultOf(foundArtifact(1, 'incomplete', same), foundArtifact(2, 'incomplete', same));
    expect(reasonsOf(result)[0]?.about).toBe(`unit of web.tgz ${short(1)}, web.tgz ${short(2)}`);
  });

  it('reports the others if one could not be judged', async () => {
    const result = await resultOf(
      foundArtifact(1, 'compliant'),
      failedLookup(2),
      foundArtifact(3, 'incomplete', { reasons: [unitReason] }),
    );
    expect(result).toMatchObject({
      outcome: 'error',
      failure: { kind: 'external' },
      fingerprint: [1, 2, 3].map(numberedFingerprint).join('\n'),
      response: [
        { fingerprint: numberedFingerprint(1), verdict: 'compliant', artifact: { state: 'COMPLIANT' } },
        { fingerprint: numberedFingerprint(2), error: expect.stringContaining('Back soon') },
        { fingerprint: numberedFingerprint(3), verdict: 'incomplete', artifact: { state: 'INCOMPLETE' } },
      ],
    });
    expect(result.conclusion.split('\n')).toEqual([
      '1 of 3 artifacts is not compliant and 1 could not be judged in flow web:',
      expect.stringMatching(
        new RegExp(`^${short(2)}: could not be judged: get-artifact: GET .* returned 503: Back soon$`, 'u'),
      ),
      'unit of 3.tgz: not recorded (template of the flow)',
    ]);
    expect(result.report.evidence?.table?.rows.map((row) => [row[0]?.text, row[2]?.text])).toEqual([
      [short(2), '⛔ error'],
      ['3.tgz', '⏳ INCOMPLETE'],
      ['1.tgz', '✅ COMPLIANT'],
    ]);
  });

  it('reports an outage once with the number of affected artifacts', async () => {
    const { conclusion, failure } = await resultOf(...[1, 2, 3, 4, 5].map((number) => failedLookup(number)));
    expect(conclusion).toMatch(
      new RegExp(
        `^5 of 5 artifacts could not be judged in flow web: ${short(1)}, ${short(2)}, ${short(3)}, and 2 more: .*503: Back soon\\.$`,
        'u',
      ),
    );
    expect(failure).toMatchObject({
      kind: 'external',
      message: conclusion,
      remedy: expect.stringMatching(/^Try again later; [^\n]*$/u),
    });
  });

  it('is the user’s mistake only if every failure is', async () => {
    const mistake = { status: 403, body: { message: 'no' } };
    expect((await resultOf(failedLookup(1, mistake), failedLookup(2, mistake))).failure?.kind).toBe('user');
    expect((await resultOf(failedLookup(1, mistake), failedLookup(2))).failure?.kind).toBe('external');
  });

  it('names each commit once, and none if the service names none', async () => {
    const [one, other] = ['c'.repeat(40), 'd'.repeat(40)];
    const without = { git_commit: '' };
    const looked = [
      foundArtifact(1, 'compliant'),
      foundArtifact(2, 'compliant', { git_commit: other }),
      foundArtifact(3, 'compliant', { git_commit: one }),
      failedLookup(4),
    ];
    expect((await resultOf(...looked)).commits).toEqual([one, other]);
    expect((await resultOf(foundArtifact(1, 'compliant'))).commits).toEqual([one]);
    expect((await resultOf(foundArtifact(1, 'compliant', without))).commits).toBeUndefined();
  });

  const ends = fc.constantFrom('compliant', 'non-compliant', 'incomplete', 'failure', 'unknown');
  const answered = (end: string, index: number): AnsweredArtifact => {
    if (end === 'failure') return failedLookup(index);
    return end === 'unknown' ? unknownArtifact(index) : foundArtifact(index, end as 'compliant');
  };

  it('fits into an annotation, regardless of their number, and says why', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ends, { minLength: 2, maxLength: 300 }), async (all) => {
        const { conclusion, report } = await resultOf(...all.map(answered));
        expect(conclusion.length).toBeLessThan(4096);
        expect(conclusion.includes('could not be judged')).toBe(all.includes('failure'));
        const [worst] = report.reasons ?? [];
        if (worst !== undefined) expect(conclusion).toContain(`${worst.about}: `);
      }),
      { numRuns: 10 },
    );
  });

  it('leaves room for the reason in a comment, regardless of their number', async () => {
    const { conclusion, report } = await resultOf(
      ...Array.from({ length: 300 }, (_, index) => foundArtifact(index, 'non-compliant')),
    );
    const html = renderSummary({ verdict: '❌ Non-compliant', conclusion, report, runUrl: undefined }, 65_536);
    expect(html).toContain('300 of 300 artifacts are not compliant in flow web: 0.tgz, 1.tgz, 2.tgz, and 297 more');
  });

  it('never passes while one is not compliant, and keeps the order in which they were asked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ends, { minLength: 2, maxLength: 10 }), async (all) => {
        const result = await resultOf(...all.map(answered));
        expect(result.outcome === 'compliant').toBe(all.every((end) => end === 'compliant'));
        expect(result.outcome === 'non-compliant').toBe(all.includes('non-compliant'));
        expect(result.outcome === 'error').toBe(all.includes('failure') && !all.includes('non-compliant'));
        expect(result.fingerprint).toBe(all.map((_, index) => numberedFingerprint(index)).join('\n'));
        expect(result.report.evidence?.table?.rows).toHaveLength(all.length);
        expect(result.report.reasons?.length === 0).toBe(result.outcome === 'compliant');
      }),
      { numRuns: 50 },
    );
  });
});
