import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ServiceError } from '../../../src/client/service-error.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';
import { printable } from '../../../src/runtime/printable.ts';
import { safeHref } from '../../../src/step/report/escape.ts';
import { reportResult } from '../../../src/step/report/report-result.ts';
import { githubRunner } from '../../../src/step/report/runner.ts';
import { decideFailure, decideResult } from '../../../src/step/run/gate.ts';
import type { StepResult } from '../../../src/step/run/step-result.ts';
import { captureOutput, inEnvironment } from '../../support/captured-output.ts';
import { itWithFullDevice } from '../../support/platform.ts';
import { aSecret, formsOf, textAround } from '../../support/secret.ts';
import { commandsIn, commandsNamed, shownLines } from '../../support/workflow-command.ts';
import { hostileResult, hostileText } from './hostile-result.ts';

const result: OperationResult = {
  outcome: 'non-compliant',
  conclusion: 'Artifact web.tgz is NON-COMPLIANT (sonar failed).',
  state: 'NON-COMPLIANT',
  response: { fingerprint: 'aa', state: 'NON-COMPLIANT' },
  fingerprint: 'aa',
  htmlUrl: 'https://compliance.example.com/a',
  report: {
    subject: 'Artifact web.tgz',
    facts: [{ label: 'State', value: { text: 'NON-COMPLIANT' } }],
    tables: [
      {
        title: 'Evidence',
        columns: ['Name', 'State'],
        rows: [[{ text: 'sonar' }, { text: 'ERROR' }]],
      },
    ],
  },
};

function stepResultOf(ended: OperationResult): StepResult {
  return { decision: decideResult(ended, 'fail'), result: ended, runUrl: undefined, summary: true };
}

function failureResultOf(thrown: unknown): StepResult {
  return { decision: decideFailure(thrown), thrown, runUrl: undefined, summary: true };
}

describe('reportResult', () => {
  it('reports a verdict in log, outputs, response file and summary, and annotates last', async () => {
    const captured = await captureOutput([], (target) => reportResult(stepResultOf(result), target));
    expect(commandsIn(captured.log).map(({ name }) => name)).toEqual(['group', 'endgroup', 'error']);
    expect(shownLines(captured.log).filter((line) => line !== '')).toEqual([
      'State: NON-COMPLIANT',
      'Evidence (Name | State):',
      '  sonar | ERROR',
    ]);
    expect(commandsNamed(captured.log, 'error')).toEqual([
      {
        name: 'error',
        properties: { title: 'Non-compliant: Artifact web.tgz' },
        message: 'Artifact web.tgz is NON-COMPLIANT (sonar failed).',
      },
    ]);
    expect(captured.outputs).toEqual({
      outcome: 'non-compliant',
      compliant: 'false',
      state: 'NON-COMPLIANT',
      response: '{"fingerprint":"aa","state":"NON-COMPLIANT"}',
      'response-path': expect.stringMatching(/response\.json$/u),
      fingerprint: 'aa',
      'html-url': 'https://compliance.example.com/a',
      'attestation-url': '',
      count: '',
      'spool-path': '',
      checkpoint: '',
    });
    expect(captured.responseFile).toBe('{"fingerprint":"aa","state":"NON-COMPLIANT"}');
    expect(captured.summary).toContain(
      '<h2>❌ Non-compliant: <a href="https://compliance.example.com/a">Artifact web.tgz</a></h2>',
    );
  });

  it('logs a pass without an annotation', async () => {
    const captured = await captureOutput([], (target) =>
      reportResult(stepResultOf({ ...result, outcome: 'compliant' }), target),
    );
    expect(commandsIn(captured.log).map(({ name }) => name)).toEqual(['group', 'endgroup']);
    expect(captured.log).toContain('✅ Compliant: Artifact web.tgz is');
  });

  it.each([
    ['compliant', 'true'],
    ['non-compliant', 'false'],
    ['incomplete', 'false'],
    ['done', ''],
  ] as const)('sets the output `compliant` of %s to %p', async (outcome, compliant) => {
    const captured = await captureOutput([], (target) => reportResult(stepResultOf({ ...result, outcome }), target));
    expect(captured.outputs).toMatchObject({ outcome, compliant });
  });

  it('sets every output on a failure, too, if only to an empty text', async () => {
    const thrown = new ExternalError({ what: 'no answer', remedy: 'Try again.' });
    const captured = await captureOutput([], (target) => reportResult(failureResultOf(thrown), target));
    expect(captured.outputs).toEqual({
      outcome: 'error',
      response: '{"error":{"kind":"external","what":"no answer","remedy":"Try again."}}',
      'response-path': expect.stringMatching(/response\.json$/u),
      ...Object.fromEntries(
        ['compliant', 'state', 'fingerprint', 'html-url', 'attestation-url', 'count', 'spool-path', 'checkpoint'].map(
          (name) => [name, ''],
        ),
      ),
    });
    expect(captured.summary).toContain('<h2>⛔ Error</h2>');
    expect(commandsNamed(captured.log, 'error')[0]?.message).toBe('no answer\nTry again.');
  });

  it('includes status, message and fields of the service’s error in the response', async () => {
    const thrown = new ServiceError({
      operation: 'create-flow',
      method: 'PUT',
      path: '/flows/acme',
      status: 400,
      serviceMessage: 'Input payload validation failed',
      fieldErrors: { name: 'is taken' },
      bodyDescription: undefined,
      attempts: 1,
    });
    const captured = await captureOutput([], (target) => reportResult(failureResultOf(thrown), target));
    expect(JSON.parse(captured.responseFile ?? '')).toMatchObject({
      error: {
        kind: 'user',
        status: 400,
        message: 'Input payload validation failed',
        errors: { name: 'is taken' },
        what: expect.stringContaining('create-flow: PUT /flows/acme returned 400'),
        remedy: expect.stringContaining('Correct the inputs'),
      },
    });
  });

  it('exposes no details of a defect in the response', async () => {
    const captured = await captureOutput([], (target) => reportResult(failureResultOf(new TypeError('inner')), target));
    expect(captured.outputs['response']).toBe('{"error":{"kind":"defect"}}');
  });

  it('leaves the response out of the output if it exceeds GitHub’s limit, counted as GitHub does', async () => {
    const fits = 'x'.repeat(512 * 1024 - 2);
    const just = await captureOutput([], (target) => reportResult(stepResultOf({ ...result, response: fits }), target));
    expect(just.outputs['response']).toBe(JSON.stringify(fits));
    const larger = await captureOutput([], (target) =>
      reportResult(stepResultOf({ ...result, response: `${fits}x` }), target),
    );
    expect(larger.outputs['response']).toBe('');
    expect(larger.responseFile).toBe(JSON.stringify(`${fits}x`));
  });

  it('writes no summary if it is turned off, or the runner does not support it', async () => {
    const unwanted = await captureOutput([], (target) =>
      reportResult({ ...stepResultOf(result), summary: false }, target),
    );
    expect(unwanted.summary).toBe('');
    const impossible = await captureOutput([], (target) => reportResult(stepResultOf(result), target), {
      summary: false,
    });
    expect(impossible.outputs['outcome']).toBe('non-compliant');
  });

  it('publishes after outputs and summary are written, and before the annotation', async () => {
    const captured = await captureOutput([], (target) =>
      reportResult(stepResultOf(result), target, ({ decision }) => {
        expect(target.runner.summaryRoom()).toBeLessThan(1024 * 1024);
        target.runner.log.warning(`shown elsewhere: ${decision.outcome}`);
        return Promise.resolve();
      }),
    );
    expect(commandsIn(captured.log).map(({ name }) => name)).toEqual(['group', 'endgroup', 'warning', 'error']);
    expect(captured.outputs['outcome']).toBe('non-compliant');
  });

  it('keeps the verdict if publishing fails', async () => {
    const captured = await captureOutput([], (target) =>
      reportResult(stepResultOf({ ...result, outcome: 'compliant' }), target, () =>
        Promise.reject(new TypeError('inner')),
      ),
    );
    expect(commandsNamed(captured.log, 'warning')[0]?.message).toContain('not published on GitHub: inner');
    expect(captured.outputs['outcome']).toBe('compliant');
    expect(captured.log).toContain('✅ Compliant');
  });

  it('only warns of a response file that cannot be written if the step failed anyway', async () => {
    const thrown = new ExternalError({ what: 'no answer', remedy: 'Try again.' });
    const captured = await captureOutput([], (target) =>
      reportResult(failureResultOf(thrown), { ...target, directory: join(target.directory, 'missing') }),
    );
    expect(commandsNamed(captured.log, 'warning')[0]?.message).toMatch(
      /the response file could not be written.*RUNNER_TEMP/u,
    );
    expect(commandsNamed(captured.log, 'error')[0]?.message).toBe('no answer\nTry again.');
    expect(captured.summary).toContain('⛔ Error');
  });

  it('sets the outputs if the response file cannot be written, reports that and fails', async () => {
    let isTold: boolean | undefined;
    const captured = await captureOutput([], async (target) => {
      isTold = await reportResult(stepResultOf(result), { ...target, directory: join(target.directory, 'missing') });
    });
    expect(isTold).toBe(false);
    expect(captured.outputs).toMatchObject({
      outcome: 'non-compliant',
      compliant: 'false',
      state: 'NON-COMPLIANT',
      'response-path': '',
      response: '{"fingerprint":"aa","state":"NON-COMPLIANT"}',
    });
    expect(captured.summary).toContain('❌ Non-compliant');
    expect(
      commandsNamed(captured.log, 'error').map(({ properties, message }) => [properties['title'], message]),
    ).toEqual([
      ['Runner error', expect.stringMatching(/response file could not be written.*The verdict stands.*Non-compliant/u)],
      ['Non-compliant: Artifact web.tgz', 'Artifact web.tgz is NON-COMPLIANT (sonar failed).'],
    ]);
  });

  itWithFullDevice('reports a full disk and still the verdict', async () => {
    let isTold: boolean | undefined;
    const shown: string[] = [];
    const compliant = stepResultOf({ ...result, outcome: 'compliant' });
    const captured = await captureOutput([], async (target) => {
      symlinkSync('/dev/full', join(target.directory, 'response.json'));
      isTold = await reportResult(compliant, target, ({ decision }) => {
        shown.push(decision.outcome);
        return Promise.resolve();
      });
    });
    expect(isTold).toBe(false);
    expect(shown).toEqual(['compliant']);
    expect(captured.outputs).toMatchObject({ outcome: 'compliant', 'response-path': '' });
    expect(captured.log).toContain('✅ Compliant: ');
    expect(commandsNamed(captured.log, 'error')).toEqual([
      {
        name: 'error',
        properties: { title: "The runner's disk is full" },
        message: expect.stringMatching(/in RUNNER_TEMP: the runner's disk is full \(ENOSPC[^]*Free space/u),
      },
    ]);
  });

  itWithFullDevice('reports the verdict and fails if the outputs cannot be written', async () => {
    let isTold: boolean | undefined;
    const captured = await captureOutput([], async (target) => {
      const environment = { GITHUB_OUTPUT: '/dev/full' };
      const runner = githubRunner(environment, target.secrets);
      const compliant = stepResultOf({ ...result, outcome: 'compliant' });
      isTold = await inEnvironment(environment, () => reportResult(compliant, { ...target, runner }));
    });
    expect(isTold).toBe(false);
    expect(captured.log).toContain('✅ Compliant: ');
    expect(commandsNamed(captured.log, 'error')[0]?.message).toContain("the step's outputs could not be written");
  });

  it('lets no text become a command or another output', async () => {
    await fc.assert(
      fc.asyncProperty(hostileResult(hostileText()), async (hostile) => {
        const captured = await captureOutput([], (target) => reportResult(stepResultOf(hostile), target));
        expect(commandsIn(captured.log).map(({ name }) => name)).toEqual(['group', 'endgroup', 'error']);
        expect(Object.keys(captured.outputs).sort()).toEqual(outputNames);
        expect(captured.outputs).toMatchObject({
          outcome: 'non-compliant',
          state: printable(hostile.state),
          fingerprint: printable(hostile.fingerprint ?? ''),
          'html-url': safeHref(hostile.htmlUrl) ?? '',
        });
        expect(JSON.parse(captured.outputs['response'] ?? '')).toEqual(hostile.response);
      }),
    );
  });

  it.each([
    'javascript:alert(1)',
    'https://example.com/\u0000\u001B[2J\nerror',
    'page 1',
    'https://user:pass@example.com/',
  ])('sets `html-url` to %j only if it is one line and an http(s) URL', async (htmlUrl) => {
    const captured = await captureOutput([], (target) => reportResult(stepResultOf({ ...result, htmlUrl }), target));
    expect(captured.outputs['html-url']).toMatch(/^(?:https?:\/\/[\x21-\x7E]+)?$/u);
  });

  it('writes no control character to log, outputs, summary or response file', async () => {
    const text = fc.string({
      unit: fc.constantFrom('\u001B', '\u0007', '\0', '\u009B', '\u007F', '\u202E', '\u2066', '\b', 'a', '\n'),
    });
    await fc.assert(
      fc.asyncProperty(hostileResult(text), async (hostile) => {
        const captured = await captureOutput([], (target) => reportResult(stepResultOf(hostile), target));
        for (const place of [captured.log, captured.outputFile, captured.summary, captured.responseFile ?? '']) {
          expect(place).not.toMatch(/[[\p{Cc}\u202A-\u202E\u2066-\u2069]--[\t\r\n]]/v);
        }
        expect(JSON.parse(captured.responseFile ?? '')).toEqual(hostile.response);
      }),
    );
  });

  it('does not redact the outputs of the action’s own words, even if a secret is a single letter', async () => {
    const secrets = ['c', 'e', '1', '/', 'non-compliant'];
    let directory = '';
    const captured = await captureOutput(secrets, (target) => {
      ({ directory } = target);
      return reportResult(stepResultOf({ ...result, count: 121 }), target);
    });
    expect(captured.outputs).toMatchObject({
      outcome: 'non-compliant',
      compliant: 'false',
      count: '121',
      'response-path': join(directory, 'response.json'),
      'html-url': expect.stringContaining('***'),
    });
    expect(captured.responseFile).toContain('***');
  });

  it('writes no encoding of a secret to log, outputs, summary or response file', async () => {
    const scene = fc
      .array(aSecret(), { minLength: 1, maxLength: 2 })
      .chain((secrets) => fc.tuple(fc.constant(secrets), hostileResult(textAround(secrets.flatMap(formsOf)))));
    await fc.assert(
      fc.asyncProperty(scene, async ([secrets, leaking]) => {
        const captured = await captureOutput(secrets, (target) => reportResult(stepResultOf(leaking), target));
        const places = [captured.log, captured.outputFile, captured.summary, captured.responseFile ?? ''];
        for (const form of secrets.flatMap(formsOf)) {
          for (const place of places) expect(place).not.toContain(form);
        }
        expect(() => JSON.parse(captured.responseFile ?? '') as unknown).not.toThrow();
      }),
    );
  });
});

const outputNames =
  'attestation-url checkpoint compliant count fingerprint html-url outcome response response-path spool-path state'.split(
    ' ',
  );
