import { describe, expect, it } from '@jest/globals';
import { findRunRestriction } from '../../../src/evidence/github/run-restriction.ts';
import { isMapping, type Mapping, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { mergeGroupEvent, pullRequestEvent, pushEvent, workflowRunEvent } from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';

/** The payload of a pull request whose fork was deleted. */
function deletedFork(): Mapping {
  const event = pullRequestEvent({ fork: true });
  const pullRequest = valueAt(event, 'pull_request');
  if (!isMapping(pullRequest) || !isMapping(pullRequest['head'])) throw new Error('no pull request');
  return { ...event, pull_request: { ...pullRequest, head: { ...pullRequest['head'], repo: null } } };
}

const dependabot = { GITHUB_ACTOR: 'dependabot[bot]' };

describe('a run is restricted', () => {
  it.each([
    ['of a fork on pull_request', 'pull_request', pullRequestEvent({ fork: true }), {}, 'fork'],
    ['of a fork on pull_request_review', 'pull_request_review', pullRequestEvent({ fork: true }), {}, 'fork'],
    ['of a fork that was deleted', 'pull_request', deletedFork(), {}, 'fork'],
    ['that Dependabot started', 'pull_request', pullRequestEvent(), dependabot, 'dependabot'],
    ['that Dependabot started by a push', 'push', pushEvent(), dependabot, 'dependabot'],
  ] as const)('%s', (_what, name, event, variables, restriction) => {
    expect(findRunRestriction(jobOf(name, event, variables))).toBe(restriction);
  });
});

describe('a run is not restricted', () => {
  it.each([
    ['of the repository itself', 'pull_request', pullRequestEvent(), {}],
    ['of a fork on pull_request_target', 'pull_request_target', pullRequestEvent({ fork: true }), {}],
    ['of Dependabot on workflow_run', 'workflow_run', workflowRunEvent(), dependabot],
    ['of Dependabot in a merge group', 'merge_group', mergeGroupEvent(), dependabot],
    ['of a merge group', 'merge_group', mergeGroupEvent(), {}],
    ['without an event file', 'pull_request', {}, {}],
    ['that a person started', 'push', pushEvent(), { GITHUB_TRIGGERING_ACTOR: 'dependabot[bot]' }],
  ])('%s', (_what, name, event, variables) => {
    expect(findRunRestriction(jobOf(name, event, variables))).toBeUndefined();
  });
});
