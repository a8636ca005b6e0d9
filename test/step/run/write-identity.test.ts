import { describe, expect, it } from '@jest/globals';
import { readWriteIdentity } from '../../../src/step/run/write-identity.ts';
import { inputSource } from '../../support/input-source.ts';
import { jobOf } from '../../support/job.ts';

describe('readWriteIdentity', () => {
  it('names the run, the job with its matrix values, and the step', () => {
    const source = inputSource({ GITHUB_ACTION: '__run_2', INPUT_MATRIX: '{"os":"ubuntu","node":24}' });
    expect(readWriteIdentity(jobOf('push', {}), source)).toEqual({
      repository: 'acme/widgets',
      runId: '4242',
      job: 'build',
      matrix: { node: 24, os: 'ubuntu' },
      step: '__run_2',
    });
  });

  it('leaves out what GitHub did not set', () => {
    const source = inputSource({ INPUT_MATRIX: 'null' });
    expect(readWriteIdentity(jobOf('push', {}, { GITHUB_RUN_ID: '' }), source)).toMatchObject({
      runId: undefined,
      matrix: undefined,
      step: undefined,
    });
  });
});
