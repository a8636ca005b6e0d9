import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';
import { toCommitStatus, type CommitStatus } from '../../../src/step/publish/commit-status.ts';
import { decideFailure, decideResult, type OnNonCompliant } from '../../../src/step/run/gate.ts';
import { redactResult } from '../../../src/step/report/redacted-result.ts';
import type { CommitMatch } from '../../../src/step/publish/commit-match.ts';
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
    report: { subject: 'Artifact', facts: [], tables: [] },
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
    ['skipped', 'fail', 'failure'],
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
