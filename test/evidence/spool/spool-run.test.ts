import { describe, expect, it } from '@jest/globals';
import { toSpoolRun } from '../../../src/evidence/spool/spool-run.ts';
import type { Mapping } from '../../../src/runtime/untrusted-data.ts';
import { mergeGroupEvent, pullRequestEvent, pullRequestReviewEvent, pushEvent, shas } from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';

const other = 'e'.repeat(40);

describe('toSpoolRun', () => {
  it.each<[string, Mapping, string, string]>([
    ['push', pushEvent(), shas.head, shas.head],
    ['merge_group', mergeGroupEvent(), shas.head, shas.head],
    ['pull_request', pullRequestEvent(), other, shas.head],
    ['pull_request_review', pullRequestReviewEvent(), other, shas.head],
    ['pull_request_target', pullRequestEvent(), other, other],
  ])('names the commit that GitHub lists for a run on %s', (eventName, event, sha, expected) => {
    expect(toSpoolRun(jobOf(eventName, event, { GITHUB_SHA: sha }))).toEqual({
      repository: 'acme/widgets',
      run_id: '4242',
      run_attempt: '2',
      event_name: eventName,
      head_sha: expected,
    });
  });

  it('is undefined outside a run', () => {
    expect(toSpoolRun(jobOf('push', pushEvent(), { GITHUB_RUN_ID: '' }))).toBeUndefined();
  });
});
