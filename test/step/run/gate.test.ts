import { describe, expect, it } from '@jest/globals';
import { withNote } from '../../../src/client/failure-kinds.ts';
import { ServiceError } from '../../../src/client/service-error.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { ExternalError, type Problem, UserError } from '../../../src/runtime/failure.ts';
import { RunnerFileError } from '../../../src/runtime/runner-file.ts';
import { Cancellation } from '../../../src/step/run/cancellation.ts';
import { decideFailure, decideResult } from '../../../src/step/run/gate.ts';
import { failedLookup, foundArtifact, lookUp } from '../../support/artifact-lookups.ts';

const result = { conclusion: 'So it ended.', response: 'OK', report: { subject: 'Artifact a', facts: [] } };

describe('decideResult', () => {
  it.each([
    ['compliant', 'fail', false, undefined],
    ['compliant', 'warn', false, undefined],
    ['compliant', 'ignore', false, undefined],
    ['done', 'fail', false, undefined],
    ['done', 'warn', false, undefined],
    ['done', 'ignore', false, undefined],
    ['non-compliant', 'fail', true, { level: 'error', title: 'Non-compliant: Artifact a' }],
    ['non-compliant', 'warn', false, { level: 'warning', title: 'Non-compliant: Artifact a' }],
    ['non-compliant', 'ignore', false, undefined],
    ['incomplete', 'fail', true, { level: 'error', title: 'Incomplete: Artifact a' }],
    ['incomplete', 'warn', false, { level: 'warning', title: 'Incomplete: Artifact a' }],
    ['incomplete', 'ignore', false, undefined],
    ['skipped', 'fail', true, { level: 'error', title: 'Nothing was judged: Artifact a' }],
    ['skipped', 'warn', false, { level: 'warning', title: 'Nothing was judged: Artifact a' }],
    ['skipped', 'ignore', false, undefined],
  ] as const)('for %s with on-non-compliant: %s', (outcome, onNonCompliant, fails, annotation) => {
    const decision = decideResult({ ...result, outcome }, onNonCompliant);
    expect(decision).toMatchObject({ outcome, fails, conclusion: 'So it ended.' });
    expect(decision.annotation).toEqual(annotation);
    expect(decision.remedy).toBeUndefined();
  });

  it('lists the first of many problems, and counts the others', () => {
    const broken = { what: 'a link leads nowhere', remedy: 'Remove it.' };
    const { conclusion, annotation } = decideFailure(new UserError([broken, ...Array<Problem>(20_000).fill(broken)]));
    expect(conclusion.split('\n')).toHaveLength(21);
    expect(conclusion).toMatch(/Remove it\.\nAnd 19981 more\.$/u);
    expect(annotation?.title).toBe('20001 mistakes in the workflow');
  });

  it.each(['warn', 'ignore'] as const)('fails with on-non-compliant: %s if evidence was lost', (onNonCompliant) => {
    const lost = new ExternalError({ what: 'no answer', remedy: 'Run the job again.' });
    for (const outcome of ['compliant', 'non-compliant'] as const) {
      expect(decideResult({ ...result, outcome, lost }, onNonCompliant)).toMatchObject({ outcome, fails: true });
    }
  });

  it('distinguishes verdicts by words, not only by symbols', () => {
    const outcomes = ['compliant', 'non-compliant', 'incomplete', 'done', 'skipped'] as const;
    expect(outcomes.map((outcome) => decideResult({ ...result, outcome }, 'ignore').verdict)).toEqual([
      '✅ Compliant',
      '❌ Non-compliant',
      '⏳ Incomplete',
      '✅ Done',
      '⏭️ Skipped',
    ]);
  });

  it.each(['fail', 'warn', 'ignore'] as const)(
    'fails with on-non-compliant: %s if something could not be judged',
    (onNonCompliant) => {
      const failure = new ExternalError({ what: 'an unknown state', remedy: 'Look for a newer version.' });
      const ended: OperationResult = { ...result, outcome: 'error', failure };
      expect(decideResult(ended, onNonCompliant)).toEqual({
        outcome: 'error',
        fails: true,
        verdict: '⛔ Error',
        conclusion: 'So it ended.\nan unknown state',
        remedy: 'Look for a newer version.',
        annotation: { level: 'error', title: 'Service or network error' },
      });
    },
  );

  it('does not repeat a message that the conclusion contains', () => {
    const failure = new ExternalError({ what: 'no answer', remedy: 'Try again.' });
    const ended: OperationResult = {
      ...result,
      conclusion: '1 could not be judged: no answer.',
      outcome: 'error',
      failure,
    };
    expect(decideResult(ended, 'fail').conclusion).toBe('1 could not be judged: no answer.');
  });

  it('does not let a compliant artifact hide another one that could not be judged', async () => {
    const { result } = await lookUp([foundArtifact(1, 'compliant'), failedLookup(2)]);
    expect(decideResult(result, 'ignore')).toMatchObject({ outcome: 'error', fails: true });
  });
});

const refusal = {
  operation: 'get-artifact',
  method: 'GET',
  path: '/artifacts/acme/web/fingerprint/abcde',
  serviceMessage: 'Flow not found',
  fieldErrors: {},
  bodyDescription: undefined,
  attempts: 1,
};

describe('decideFailure', () => {
  const titleOf = (thrown: unknown): string | undefined => decideFailure(thrown).annotation?.title;

  it('always fails the step, and says so as an error', () => {
    for (const thrown of [new UserError({ what: 'a', remedy: 'b' }), new Error('c'), 'd', undefined, null]) {
      expect(decideFailure(thrown)).toMatchObject({ outcome: 'error', fails: true, annotation: { level: 'error' } });
    }
  });

  it('distinguishes the user’s mistake, the service’s refusal, a service or network error and a defect', () => {
    expect(titleOf(new UserError({ what: 'a', remedy: 'b' }))).toBe('Mistake in the workflow');
    expect(titleOf(new ServiceError({ ...refusal, status: 404 }))).toBe('Refused by the compliance service');
    expect(titleOf(new ServiceError({ ...refusal, status: 302 }))).toBe('Mistake in the workflow');
    expect(titleOf(new ServiceError({ ...refusal, status: 503 }))).toBe('Service or network error');
    expect(titleOf(new ExternalError({ what: 'a', remedy: 'b' }))).toBe('Service or network error');
    expect(titleOf(new TypeError('x is not a function'))).toBe('Defect in compliance-action');
  });

  it('separates one problem from its remedy', () => {
    const decision = decideFailure(new UserError({ what: '`flow` is missing', remedy: 'Give it.' }));
    expect(decision).toMatchObject({ conclusion: '`flow` is missing', remedy: 'Give it.' });
  });

  it('lists several problems one per line, each with its remedy', () => {
    const decision = decideFailure(
      new UserError([
        { what: '`flow` is missing', remedy: 'Give it.' },
        { what: '`org` is missing', remedy: 'Give that too.' },
      ]),
    );
    expect(decision).toMatchObject({
      conclusion: '`flow` is missing. Give it.\n`org` is missing. Give that too.',
      annotation: { title: '2 mistakes in the workflow' },
    });
    expect(decision.remedy).toBeUndefined();
  });

  it('keeps the service’s message', () => {
    const { conclusion, remedy } = decideFailure(new ServiceError({ ...refusal, status: 404 }));
    expect(conclusion).toContain('returned 404: Flow not found');
    expect(remedy).toContain('`create-flow`');
  });

  it('includes the causes of a defect', () => {
    const defect = new Error('could not start', { cause: new Error('no memory') });
    expect(decideFailure(defect)).toMatchObject({
      conclusion: 'could not start: no memory',
      remedy: expect.stringContaining('Report this'),
    });
  });
});

describe('decideFailure, for cancellations and runner errors', () => {
  it.each([
    ['Cancelled', new Cancellation('SIGTERM')],
    ['Cancelled', withNote(new Cancellation('SIGTERM'), 'Last seen: Artifact a is INCOMPLETE.')],
    ['Runner error', new RunnerFileError({ variable: 'GITHUB_OUTPUT', holds: 'the outputs' }, new Error('ENOSPC'))],
  ])('uses the title: %s', (title, thrown) => {
    expect(decideFailure(thrown)).toMatchObject({
      outcome: 'error',
      fails: true,
      conclusion: thrown.message,
      remedy: thrown.remedy,
      annotation: { level: 'error', title },
    });
  });
});
