import { describe, expect, it } from '@jest/globals';
import { findPullRequest, pullRequestFromEvent } from '../../../src/evidence/github/event-pull-request.ts';
import type { GitHubApi, GitHubApiRequest, GitHubApiResult } from '../../../src/evidence/github/github-api.ts';
import type { Mapping } from '../../../src/runtime/untrusted-data.ts';
import {
  checkSuiteEvent,
  deploymentEvent,
  issueCommentEvent,
  mergeGroupEvent,
  pullRequestEvent,
  pullRequestReviewEvent,
  pushEvent,
  scheduleEvent,
  shas,
  workflowRunEvent,
} from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';

function named(number: number, repository = 99001): Mapping {
  return { number, base: { ref: 'main', repo: { id: repository } } };
}

describe('the pull request of a job', () => {
  it.each([
    ['pull_request', pullRequestEvent()],
    ['pull_request_target', pullRequestEvent({ fork: true })],
    ['pull_request_review', pullRequestReviewEvent()],
    ['issue_comment', issueCommentEvent('pull request')],
    ['workflow_run', workflowRunEvent({ pull_requests: [named(12)] })],
    ['workflow_run', workflowRunEvent({ pull_requests: [named(12), named(3, 99002)] })],
  ])('of %s is the one in the event', (name, event) => {
    expect(pullRequestFromEvent(jobOf(name, event))).toEqual({ number: 12 });
  });

  it.each([
    ['push', pushEvent()],
    ['schedule', scheduleEvent()],
    ['merge_group', mergeGroupEvent()],
    ['issue_comment', issueCommentEvent('issue')],
    ['deployment', deploymentEvent('main')],
    ['check_suite', checkSuiteEvent()],
    ['workflow_run', workflowRunEvent({ event: 'push' })],
    ['workflow_run', workflowRunEvent({ pull_requests: [named(12), named(13)] })],
  ])('of %s is none if the event is not about exactly one', (name, event) => {
    expect(pullRequestFromEvent(jobOf(name, event))).toEqual({ none: expect.stringMatching(/^the event /u) });
  });

  it('from a fork is identified only by its head, in `workflow_run`', () => {
    const fork = { full_name: 'forker/widgets', owner: { login: 'forker' } };
    const job = jobOf('workflow_run', workflowRunEvent({ head_repository: fork }));
    expect(pullRequestFromEvent(job)).toEqual({ head: { owner: 'forker', branch: 'feature/lid', sha: shas.head } });
  });
});

describe('findPullRequest', () => {
  const head = { owner: 'forker', branch: 'feature/lid', sha: shas.head };

  async function found(answer: GitHubApiResult): Promise<unknown> {
    const questions: GitHubApiRequest[] = [];
    const api: GitHubApi = {
      apiUrl: '',
      repository: { owner: 'acme', name: 'widgets' },
      ask: (question) => {
        questions.push(question);
        return Promise.resolve(answer);
      },
    };
    const result = await findPullRequest(head, api);
    expect(questions[0]?.parameters).toMatchObject({ head: 'forker:feature/lid', state: 'open' });
    return result;
  }

  const open = (number: number, sha: string): Mapping => ({ number, head: { sha } });

  it('finds the one with this commit as its head', async () => {
    expect(await found({ body: [open(11, shas.base), open(12, shas.head)] })).toEqual({ number: 12 });
  });

  it('finds none if the commit is outdated, or the response unexpected', async () => {
    expect(await found({ body: [open(12, shas.base)] })).toEqual({ none: expect.stringContaining('no open') });
    expect(await found({ body: 'login' })).toEqual({ none: expect.stringContaining('no open') });
  });

  it('finds none if there are several', async () => {
    const body = [open(11, shas.head), open(12, shas.head)];
    expect(await found({ body })).toEqual({ none: expect.stringContaining('several open') });
  });

  it('returns GitHub’s refusal', async () => {
    const refusal = { reason: 'permission', status: 403, what: 'it answered 403' } as const;
    expect(await found({ refusal })).toEqual({ refusal });
  });
});
