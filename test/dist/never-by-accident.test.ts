import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { anArtifact, fingerprintOf } from '../support/artifacts.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { answers, answersText } from '../support/faults.ts';
import { type Fault, startFaultyServer } from '../support/faulty-server.ts';

const job = jobForAllTests();
const opened = closeAfterEach();

/**
 * Every verdict is ignored, so nothing but an error can stop the step; and it would wait for long. Without retries, so
 * that a garbled answer is not asked for again.
 */
const lookUp = {
  operation: 'get-artifact',
  flow: 'web',
  fingerprint: fingerprintOf('a'),
  'on-non-compliant': 'ignore',
  wait: '600',
  retries: '0',
};

const page = '<!doctype html><title>Sign in</title><form action="/login?ticket=hush">Password</form>';
const html = { 'content-type': 'text/html; charset=utf-8' };

/** A response of the service, or of a server in its place, and what the step says about it. */
const accidents: readonly (readonly [
  what: string,
  inputs: Readonly<Record<string, string>>,
  fault: Fault,
  words: RegExp,
])[] = [
  [
    'an unknown state',
    {},
    answers(200, anArtifact({ state: 'FROZEN' })),
    /the unknown state "FROZEN" \(known: COMPLIANT, /u,
  ],
  [
    'another trail',
    { trail: 'trail-2' },
    answers(200, anArtifact()),
    /asked for trail trail-2 and answered with trail "trail-1"/u,
  ],
  [
    'a login page',
    {},
    answersText(200, page, html),
    /returned 200 with an HTML page of \d+ bytes instead of JSON\n.*login page/u,
  ],
  [
    'a redirect that keeps the method',
    {},
    answersText(307, page, { location: '/login?ticket=hush', ...html }),
    /returned 307 with a redirect\n.*never redirects/u,
  ],
];

describe('a gate never passes by accident, though every verdict is ignored', () => {
  it.each(accidents)('%s', async (_what, inputs, fault, words) => {
    const server = opened(await startFaultyServer(fault));
    const result = await job.step({ ...lookUp, ...inputs, 'base-url': server.url.href });
    expect(failedStep(result)).toMatchObject({ ...errorEnding, message: expect.stringMatching(words) });
    expect(result.outputs).toMatchObject({ state: '', fingerprint: '' });
    expect(result.log + result.summary).not.toContain('hush');
    // None of these is waited for, and no redirect is followed.
    expect(server.requests).toHaveLength(1);
  });

  it('nor if an input is empty, as an unset variable leaves it', async () => {
    const result = await job.step({ ...lookUp, org: '', fingerprint: ' \n ' }, { variables: { COMPLIANCE_ORG: '' } });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringMatching(/`org` is required but missing or empty[^]*`fingerprint`.* but none is/u),
    });
  });
});
