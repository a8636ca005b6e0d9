import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Reason } from '../../../src/contract/reason.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';
import type { CommitMatch } from '../../../src/step/publish/commit-match.ts';
import { type CommitStatus, toCommitStatus } from '../../../src/step/publish/commit-status.ts';
import { redactResult } from '../../../src/step/report/redacted-result.ts';
import { decideFailure, decideResult, type OnNonCompliant } from '../../../src/step/run/gate.ts';
import { codePoint } from '../../support/code-point.ts';
import { shas } from '../../support/events.ts';

const runUrl = 'https://github.com/acme/widgets/actions/runs/1';

const known: CommitMatch = { sha: shas.head, judged: 'yes' };

function status(
  result: Partial<OperationResult>,
  onNonCompliant: OnNonCompliant = 'fail',
  commit: CommitMatch = known,
): CommitStatus {
  const whole = {
    outcome: 'compliant',
    conclusion: 'So it ended.',
    response: {},
    report: { subject: 'Artifact', facts: [] },
    ...result,
  } as OperationResult;
  const stepResult = { decision: decideResult(whole, onNonCompliant), result: whole, runUrl, summary: true };
  return toCommitStatus(
    redactResult(stepResult, (text) => text.replaceAll('hush', '***')),
    commit,
  );
}

describe('a commit status', () => {
  it.each([
    ['compliant', 'fail', 'success'],
    ['done', 'ignore', 'success'],
    ['non-compliant', 'fail', 'failure'],
    ['non-compliant', 'warn', 'failure'],
    ['non-compliant', 'ignore', 'failure'],
    ['incomplete', 'fail', 'failure'],
    ['incomplete', 'warn', 'pending'],
    ['incomplete', 'ignore', 'pending'],
    ['skipped', 'fail', 'pending'],
    ['skipped', 'ignore', 'pending'],
  ] as const)('for %s with on-non-compliant: %s is %s', (outcome, onNonCompliant, state) => {
    expect(status({ outcome }, onNonCompliant)).toMatchObject({ state, description: 'So it ended.' });
  });

  it('is an error for a failure, and links to the run', () => {
    const decision = decideFailure(new ExternalError({ what: 'no answer', remedy: 'Try again.' }));
    expect(toCommitStatus({ decision, runUrl, summary: true }, known)).toEqual({
      state: 'error',
      description: 'no answer',
      targetUrl: runUrl,
    });
  });

  it.each([
    ['https://compliance.example.com/a', 'https://compliance.example.com/a'],
    ['javascript:alert(1)', runUrl],
    ['https://compliance.example.com/p?token=hush', runUrl],
    ['https://compliance.example.com/p?token=%68ush', runUrl],
    [undefined, runUrl],
  ])('for an artifact with the page %j links to %s', (htmlUrl, targetUrl) => {
    expect(status({ htmlUrl }).targetUrl).toBe(targetUrl);
  });

  it.each([
    ['compliant', 'failure', 'Not for this commit: the verdict is for commit cccccccccccc.'],
    ['done', 'failure', 'Not for this commit: the verdict is for commit cccccccccccc.'],
    ['non-compliant', 'failure', 'So it ended.'],
  ] as const)('of %s is %s if another commit was judged', (outcome, state, description) => {
    const other: CommitMatch = { sha: shas.head, judged: { otherwise: [shas.base] } };
    expect(status({ outcome }, 'ignore', other)).toMatchObject({ state, description });
  });

  const reason = (about: string, more: Partial<Reason> = {}): Reason => ({
    ...{
      state: 'failed',
      about,
      value: 'new_coverage is 61.2',
      limit: 'at least 80 is required',
      rule: 'quality gate',
    },
    ...more,
  });
  const statusFor = (outcome: 'non-compliant' | 'incomplete', ...reasons: readonly Reason[]): string =>
    status({ outcome, report: { subject: 'Artifact', reasons, facts: [] } }, 'ignore').description;

  it('has the verdict and as many reasons as there is room for', () => {
    const missing = reason('unit', {
      state: 'missing',
      value: 'not recorded',
      limit: 'junit is required',
      rule: 'flow',
    });
    expect(statusFor('non-compliant', reason('sonar'), missing)).toBe(
      'Non-compliant: sonar: new_coverage is 61.2; at least 80 is required (quality gate); unit: not recorded; junit is required (flow)',
    );
    expect(statusFor('non-compliant', reason('sonar'), reason('lint'), missing, missing)).toBe(
      'Non-compliant: sonar: new_coverage is 61.2; at least 80 is required (quality gate); and 3 more',
    );
    expect(statusFor('incomplete', { state: 'missing', about: 'web.tgz', value: 'not reported to flow web' })).toBe(
      'Incomplete: web.tgz: not reported to flow web',
    );
    expect(statusFor('incomplete')).toBe('So it ended.');
  });

  it('shows the description of the evidence', () => {
    const scan: Reason = {
      state: 'failed',
      about: 'scan',
      value: 'not compliant',
      description: '2 high vulnerabilities',
    };
    expect(statusFor('non-compliant', scan)).toBe('Non-compliant: scan: not compliant: 2 high vulnerabilities');
  });

  it('always says how many more reasons there are', () => {
    const long = fc.string({ unit: codePoint, minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(fc.array(long, { minLength: 2, maxLength: 200 }), (texts) => {
        const description = statusFor('non-compliant', ...texts.map((value) => reason('sonar', { value })));
        expect(description.length).toBeLessThanOrEqual(140);
        expect(description).toMatch(/^Non-compliant: sonar: /u);
        const [, rest = '0'] = /; and (\d+) more$/u.exec(description) ?? [];
        expect(Number(rest)).toBeLessThan(texts.length);
        if (texts.every((text) => text.length > 140)) expect(Number(rest)).toBe(texts.length - 1);
      }),
    );
  });

  it('has a description within GitHub’s limits for any conclusion', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 400 }), (conclusion) => {
        const { description } = status({ conclusion });
        expect(description.length).toBeLessThanOrEqual(140);
        expect(description).not.toMatch(/[\p{Cc}\u{10000}-\u{10FFFF}]/u);
        expect(description.isWellFormed()).toBe(true);
      }),
    );
    expect(status({ conclusion: 'x'.repeat(141) }).description).toBe(`${'x'.repeat(139)}…`);
    expect(status({ conclusion: 'the key hush\nis it' }).description).toBe('the key *** is it');
  });
});
