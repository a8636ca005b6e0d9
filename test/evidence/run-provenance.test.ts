import { describe, expect, it } from '@jest/globals';
import { readJob } from '../../src/evidence/job.ts';
import { runProvenance, withProvenance } from '../../src/evidence/run-provenance.ts';
import { pushEvent } from '../support/events.ts';
import { jobOf } from '../support/job.ts';

describe("the run's provenance", () => {
  it('names the run in the words of GitHub’s own context', () => {
    expect(runProvenance(jobOf('push', pushEvent()))).toEqual({
      repository: 'acme/widgets',
      workflow: 'CI',
      job: 'build',
      event_name: 'push',
      run_id: '4242',
      run_attempt: '2',
      actor: 'ann',
      triggering_actor: 'bob',
    });
  });

  it('names no users if the author of the commit is redacted', () => {
    const job = jobOf('push', pushEvent());
    expect(JSON.stringify(runProvenance(job, ['author']))).not.toMatch(/ann|bob/u);
    expect(runProvenance(job, ['message', 'branch'])).toMatchObject({ actor: 'ann', triggering_actor: 'bob' });
  });

  it('leaves out what GitHub left unset, and is absent outside a GitHub job', () => {
    expect(runProvenance(readJob({ GITHUB_RUN_ID: '7' }))).toEqual({ run_id: '7' });
    expect(runProvenance(readJob({ GITHUB_ACTOR: 'ann' }))).toBeUndefined();
  });
});

describe("the user's own data", () => {
  const provenance = { run_id: '7' };

  it('is kept beside the provenance', () => {
    expect(withProvenance({ ticket: 'ABC-1' }, provenance)).toEqual({ ticket: 'ABC-1', github: provenance });
    expect(withProvenance({ ticket: 'ABC-1' }, undefined)).toEqual({ ticket: 'ABC-1' });
  });
});
