import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { anArtifact, fingerprintOf } from '../support/artifacts.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { answers, answersText } from '../support/faults.ts';
import { startFaultyServer, type Fault, type FaultyServer } from '../support/faulty-server.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import type { ActionRun } from '../../tools/run-action.ts';

const job = jobForAllTests();
const opened = closeAfterEach();

const fingerprint = fingerprintOf('a');
const anId = '1a2b3c4d-0000-1111-2222-12345678';
const anotherId = '1a2b3c4d-0000-1111-2222-87654321';

/**
 * Every verdict is ignored, so nothing but an error can stop the step; and it would wait for long. Without retries, so
 * that a garbled answer is not asked for again.
 */
const lookUp = {
  operation: 'get-artifact',
  flow: 'web',
  fingerprint,
  'on-non-compliant': 'ignore',
  wait: '600',
  retries: '0',
};

async function against(
  inputs: Readonly<Record<string, string>>,
  ...faults: readonly [Fault, ...Fault[]]
): Promise<{ readonly result: ActionRun; readonly server: FaultyServer }> {
  const server = opened(await startFaultyServer(...faults));
  return { result: await job.step({ ...lookUp, ...inputs, 'base-url': server.url.href }), server };
}

const page = '<!doctype html><title>Sign in</title><form action="/login?ticket=hush">Password</form>';
const html = { 'content-type': 'text/html; charset=utf-8' };
const json = { 'content-type': 'application/json' };
const twoStates = JSON.stringify(anArtifact({ state: 'NON-COMPLIANT' })).replace(/\}$/u, ',"state":"COMPLIANT"}');
const list = (body: unknown): Fault => answers(200, body);
const current = { index: 3, from: 1_767_323_045, to: 0, compliant: true };

/** A response of the service, or of a server in its place, and what the step says about it. */
const accidents: readonly (readonly [
  what: string,
  inputs: Readonly<Record<string, string>>,
  fault: Fault,
  words: RegExp,
])[] = [
  ['an unknown state', {}, list(anArtifact({ state: 'FROZEN' })), /the unknown state "FROZEN" \(known: COMPLIANT, /u],
  [
    'a state in other letters',
    {},
    list(anArtifact({ state: 'compliant' })),
    /the unknown state "compliant" \(known: /u,
  ],
  [
    'no state',
    {},
    list({ fingerprint, flow_name: 'web', compliant: true }),
    /returned no state for fingerprint .*\n.*the step does not pass/u,
  ],
  [
    'a state that is no text',
    {},
    list({ fingerprint, state: true }),
    /does not have the expected form: state must be string/u,
  ],
  [
    'another artifact',
    {},
    list(anArtifact({ fingerprint: fingerprintOf('b') })),
    /asked for fingerprint a+ and answered with fingerprint b+/u,
  ],
  ['another flow', {}, list(anArtifact({ flow_name: 'shop' })), /asked for flow web and answered with flow "shop"/u],
  [
    'another trail',
    { trail: 'trail-2' },
    list(anArtifact()),
    /asked for trail trail-2 and answered with trail "trail-1"/u,
  ],
  [
    'no trail where one was asked for',
    { trail: 'trail-2' },
    list(anArtifact({ trail_name: null })),
    /asked for trail trail-2 and answered with an artifact that names no trail/u,
  ],
  [
    'another attestation',
    { 'attestation-id': anId },
    list(anArtifact({ id: anotherId })),
    /asked for artifact attestation 1a.*78 and answered with artifact attestation "1a.*21"/u,
  ],
  [
    'no attestation where one was asked for',
    { 'attestation-id': anId },
    list(anArtifact()),
    /answered with an artifact that names no artifact attestation/u,
  ],
  ['a list', {}, list([anArtifact()]), /does not have the expected form: it must be object/u],
  ['nothing', {}, answersText(200, '', {}), /returned 200 with an empty body/u],
  [
    'two states',
    {},
    answersText(200, twoStates, json),
    /returned 200 with a body that holds the key `state` twice in one object/u,
  ],
  [
    'two states, one of them escaped',
    {},
    answersText(201, twoStates.replace('state', String.raw`st\u0061te`), json),
    /returned 201 with a body that holds the key `state` twice in one object/u,
  ],
  [
    'a login page',
    {},
    answersText(200, page, html),
    /returned 200 with an HTML page of \d+ bytes instead of JSON\n.*login page/u,
  ],
  ['a page that is not there', {}, answersText(404, page, html), /returned 404 with an HTML page of \d+ bytes/u],
  [
    'a redirect',
    {},
    answersText(302, '', { location: 'https://login.example.com/sso?ticket=hush' }),
    /returned 302 with a redirect to https:\/\/login\.example\.com\n.*never redirects/u,
  ],
  [
    'a redirect that keeps the method',
    {},
    answersText(307, page, { location: '/login?ticket=hush', ...html }),
    /returned 307 with a redirect\n/u,
  ],
];

describe('a gate never passes by accident, though every verdict is ignored', () => {
  it.each(accidents)('%s', async (_what, inputs, fault, words) => {
    const { result, server } = await against(inputs, fault);
    const failed = failedStep(result);
    expect(failed).toMatchObject({ ...errorEnding, message: expect.stringMatching(words) });
    expect(result.outputs).toMatchObject({ state: '', fingerprint: '' });
    expect(result.log + result.summary).not.toContain('hush');
    // None of these is waited for, and no redirect is followed.
    expect(server.requests).toHaveLength(1);
  });

  it('has words of its own for each', () => {
    const sources = accidents.map(([, , , words]) => words.source);
    expect(new Set(sources).size).toBe(accidents.length);
  });

  it('not by an answer of a list either: a snapshot without a verdict, or one that is not current, is incomplete', async () => {
    const inputs = { operation: 'list-snapshots', flow: '', fingerprint: '', environment: 'prod', wait: '0' };
    for (const entry of [
      { ...current, compliant: null },
      { index: 3, from: 1, to: 0 },
      { ...current, to: 9 },
    ]) {
      const { result } = await against({ ...inputs, 'on-non-compliant': 'fail' }, list([entry]));
      expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'incomplete', compliant: 'false' } });
    }
    const { result } = await against(inputs, list([{ ...current, compliant: 'true' }]));
    expect(failedStep(result)).toMatchObject({ ...errorEnding, message: expect.stringContaining('expected form') });
  });

  it.each([
    ['a web page', answersText(200, page, html), 'HTML'],
    ['an answer without a verdict', list({ scope: 'environment', environment: 'prod' }), 'compliant'],
    ['a verdict on another environment', list({ compliant: true, scope: 'environment', environment: 'dev' }), 'dev'],
    ['a verdict of another scope', list({ compliant: true, scope: 'flow', environment: 'prod' }), 'flow'],
  ])('not by %s instead of the verdict of an environment', async (_what, answer, words) => {
    const inputs = { operation: 'assert-artifact', environment: 'prod', wait: '0' };
    const { result } = await against(inputs, answer);
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'error', compliant: '' } });
    expect(result.log).toContain(words);
  });
});

describe('an empty input, as an unset variable leaves it', () => {
  it.each([
    ['flow', { ...lookUp, flow: '' }, /`flow` is required but missing or empty/u],
    [
      'fingerprint',
      { ...lookUp, fingerprint: '' },
      /Exactly one of `fingerprint`, `files` and `image` must be given, but none is/u,
    ],
    ['fingerprint of spaces and line breaks', { ...lookUp, fingerprint: ' \n ' }, /but none is/u],
    ['files', { ...lookUp, fingerprint: '', files: '' }, /but none is/u],
    [
      'environment',
      { operation: 'list-snapshots', environment: '' },
      /`environment` is required but missing or empty/u,
    ],
    ['org', { ...lookUp, org: '' }, /`org` is required but missing or empty/u],
  ])('is missing, and no value: %s', async (_what, inputs, words) => {
    const result = await job.step(inputs, { variables: { COMPLIANCE_ORG: '' } });
    expect(failedStep(result)).toMatchObject({ ...errorEnding, kind: 'user', message: expect.stringMatching(words) });
  });

  // As `|` makes them of one variable a line, the unset one at each place.
  it.each([
    ['fingerprint', `\n${fingerprint}\n`, 'line 1 of 2'],
    ['fingerprint', `${fingerprint}\n\n${fingerprintOf('b')}\n`, 'line 2 of 3'],
    ['fingerprint', `${fingerprint}\r\n  \r\n`, 'line 2 of 2'],
    ['files', 'web.tgz\n\n', 'line 2 of 2'],
  ])('is a mistake within a list of what is judged: %s %j', async (name, text, line) => {
    const { result, server } = await against({ fingerprint: '', [name]: text }, list(anArtifact()));
    expect(failedStep(result)).toMatchObject({ ...errorEnding, kind: 'user' });
    expect(result.log).toContain(`\`${name}\` must have an item on every line, but ${line} is empty`);
    expect(server.requests).toEqual([]);
  });

  it('is none at the end of a block of lines', async () => {
    const { result } = await against({ fingerprint: `${fingerprint}\n` }, list(anArtifact()));
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });

  it.each(['wait', 'on-non-compliant', 'environment', 'trail', 'attestation-id'])(
    'counts as not given where nothing needs it: %s',
    async (name) => {
      const { result, server } = await against(
        { wait: '', 'on-non-compliant': 'fail', [name]: '' },
        list(anArtifact({ state: 'INCOMPLETE' })),
      );
      expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'incomplete', state: 'INCOMPLETE' } });
      expect(server.requests.map(({ target }) => target)).toEqual([
        `/api/v2/artifacts/acme/web/fingerprint/${fingerprint}`,
        '/log/acme/checkpoint',
      ]);
    },
  );
});
