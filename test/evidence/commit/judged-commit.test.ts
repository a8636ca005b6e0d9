import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgedCommit } from '../../../src/evidence/commit/judged-commit.ts';
import { MistakeError } from '../../../src/runtime/failure.ts';
import type { Mapping } from '../../../src/runtime/values.ts';
import type { Environment } from '../../../src/runtime/world.ts';
import * as events from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';

const { shas } = events;

/** The variables of a run on the newest commit of the default branch, which events from elsewhere run on. */
const onDefault: Environment = { GITHUB_SHA: shas.base, GITHUB_REF: 'refs/heads/main' };
const onTag: Environment = { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/tags/v1' };

const cases: readonly (readonly [string, string, Mapping, Environment, unknown])[] = [
  [
    'a push to a branch',
    'push',
    events.pushEvent(),
    { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/heads/feature/a' },
    { sha: shas.head, meaning: 'the commit pushed to feature/a', branch: { named: 'feature/a' } },
  ],
  [
    'a push of an annotated tag (the commit, not the tag object)',
    'push',
    events.tagPushEvent(),
    { ...onTag, GITHUB_SHA: shas.tagObject },
    { sha: shas.head, branch: { likely: ['main'], otherwise: 'v1' } },
  ],
  [
    'a push of a tag that GitHub found on a branch',
    'push',
    events.tagPushEvent({ base_ref: 'refs/heads/release/1' }),
    onTag,
    { sha: shas.head, branch: { named: 'release/1' } },
  ],
  [
    'a pull request (the head, not the merge commit)',
    'pull_request',
    events.pullRequestEvent(),
    {
      GITHUB_SHA: shas.merge,
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_HEAD_REF: 'feature/lid',
      GITHUB_BASE_REF: 'main',
    },
    { sha: shas.head, meaning: 'the head of pull request 12', branch: { named: 'feature/lid' } },
  ],
  [
    'a pull request from a fork',
    'pull_request',
    events.pullRequestEvent({ fork: true }),
    { GITHUB_SHA: shas.merge, GITHUB_REF: 'refs/pull/12/merge', GITHUB_HEAD_REF: 'feature/lid' },
    { sha: shas.head, branch: { named: 'feature/lid' } },
  ],
  [
    'a pull request seen from its target (the head, not the base)',
    'pull_request_target',
    events.pullRequestEvent({ fork: true, action: 'opened' }),
    { ...onDefault, GITHUB_HEAD_REF: 'feature/lid', GITHUB_BASE_REF: 'main' },
    { sha: shas.head, branch: { named: 'feature/lid' } },
  ],
  [
    'a review (no GITHUB_HEAD_REF)',
    'pull_request_review',
    events.pullRequestReviewEvent(),
    { GITHUB_SHA: shas.merge, GITHUB_REF: 'refs/pull/12/merge' },
    { sha: shas.head, branch: { named: 'feature/lid' } },
  ],
  [
    'a merge group',
    'merge_group',
    events.mergeGroupEvent(),
    { GITHUB_SHA: shas.head, GITHUB_REF: `refs/heads/gh-readonly-queue/main/pr-12-${shas.base}` },
    {
      sha: shas.head,
      meaning: 'the head of the merge group for main',
      branch: { named: `gh-readonly-queue/main/pr-12-${shas.base}` },
    },
  ],
  [
    "a finished workflow run (its commit, not the default branch's)",
    'workflow_run',
    events.workflowRunEvent(),
    onDefault,
    { sha: shas.head, meaning: 'the commit of the finished workflow run "Build"', branch: { named: 'feature/lid' } },
  ],
  [
    'a release',
    'release',
    events.releaseEvent(),
    onTag,
    { sha: shas.head, meaning: 'the commit of the release v1', branch: { likely: ['main', 'main'], otherwise: 'v1' } },
  ],
  [
    'a release of a bare commit',
    'release',
    events.releaseEvent({ target_commitish: shas.head }),
    onTag,
    { sha: shas.head, branch: { likely: [undefined, 'main'], otherwise: 'v1' } },
  ],
  ['a schedule', 'schedule', events.scheduleEvent(), onDefault, { sha: shas.base, branch: { named: 'main' } }],
  [
    'a run started by hand on a branch',
    'workflow_dispatch',
    events.workflowDispatchEvent(),
    { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/heads/feature/a' },
    {
      sha: shas.head,
      meaning: 'the commit of the event workflow_dispatch on feature/a',
      branch: { named: 'feature/a' },
    },
  ],
  [
    'a run started by hand on a tag',
    'workflow_dispatch',
    events.workflowDispatchEvent(),
    onTag,
    { sha: shas.head, branch: { likely: ['main'], otherwise: 'v1' } },
  ],
  [
    'a comment on a pull request (its head, which the event does not hold)',
    'issue_comment',
    events.issueCommentEvent('pull request'),
    onDefault,
    { kind: 'pull-request', number: 12, branch: {} },
  ],
  [
    'a comment on an issue',
    'issue_comment',
    events.issueCommentEvent('issue'),
    onDefault,
    { kind: 'commit', sha: shas.base, branch: { named: 'main' } },
  ],
  [
    'a deployment of a branch',
    'deployment',
    events.deploymentEvent('feature/lid'),
    { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/heads/feature/lid' },
    { sha: shas.head, meaning: 'the commit deployed to production', branch: { named: 'feature/lid' } },
  ],
  [
    'a deployment of a bare commit',
    'deployment_status',
    events.deploymentEvent(shas.head),
    { GITHUB_SHA: shas.head, GITHUB_REF: '' },
    { sha: shas.head, branch: { likely: [undefined, 'main'], otherwise: undefined } },
  ],
  [
    'a check suite',
    'check_suite',
    events.checkSuiteEvent(),
    onDefault,
    { sha: shas.head, branch: { named: 'feature/lid' } },
  ],
  ['a check run without a branch', 'check_run', events.checkRunEvent(), onDefault, { sha: shas.head, branch: {} }],
  [
    'a commit status',
    'status',
    events.statusEvent(['a', 'main']),
    onDefault,
    { sha: shas.head, branch: { named: 'main' } },
  ],
  [
    'a commit status elsewhere',
    'status',
    events.statusEvent(['a']),
    onDefault,
    { sha: shas.head, branch: { named: 'a' } },
  ],
  ['an event of tomorrow', 'moon_landing', {}, onDefault, { sha: shas.base, branch: { named: 'main' } }],
];

describe('judgedCommit by the event', () => {
  it.each(cases)('finds the commit and the branch of %s', async (_title, name, event, variables, expected) => {
    expect(judgedCommit(await jobOf(name, event, variables))).toMatchObject(expected as Mapping);
  });

  it.each([
    ['push', events.branchDeletionPushEvent(), /deleted refs\/heads\/old/],
    ['delete', events.deleteEvent(), /deleted old/],
  ])('refuses a %s that deletes a branch', async (name, event, words) => {
    const job = await jobOf(name, event, onDefault);
    expect(() => judgedCommit(job)).toThrow(MistakeError);
    expect(() => judgedCommit(job)).toThrow(words);
  });

  it.each([
    'pull_request',
    'pull_request_target',
    'pull_request_review_comment',
    'workflow_run',
    'check_suite',
    'status',
  ])('never takes GITHUB_SHA for the commit of a %s whose payload is missing', async (name) => {
    const job = await jobOf(name, {}, { GITHUB_SHA: shas.merge, GITHUB_REF: 'refs/heads/main' });
    expect(() => judgedCommit(job)).toThrow(/does not say which commit/);
  });

  it.each(['push', 'merge_group', 'release', 'deployment', 'schedule'])(
    'takes GITHUB_SHA for the commit of a %s whose payload is missing',
    async (name) => {
      const job = await jobOf(name, {}, { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/heads/main' });
      expect(judgedCommit(job)).toMatchObject({ kind: 'commit', sha: shas.head });
    },
  );

  it('says so where neither the event nor the variables hold a commit', async () => {
    expect.assertions(2);
    try {
      judgedCommit(await jobOf('schedule', {}, { GITHUB_SHA: shas.zero }));
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(MistakeError);
      expect(thrown).toMatchObject({ remedy: expect.stringContaining('`commit-sha`') });
    }
  });

  it('never gives an empty branch or a SHA that is not one, whatever the payload holds', async () => {
    const names = [...new Set(cases.map(([, name]) => name))];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cases), fc.constantFrom(...names), fc.json(), async (known, name, json) => {
        const [, , event, variables] = known;
        const broken: Mapping = {
          ...event,
          release: JSON.parse(json),
          deployment: '',
          workflow_run: { head_branch: '' },
        };
        const judged = attempt(await jobOf(name, broken, { ...variables, GITHUB_REF_NAME: '', GITHUB_HEAD_REF: '' }));
        expect([judged?.branch.named, judged?.branch.otherwise]).not.toContain('');
        expect(judged?.kind === 'commit' ? judged.sha : shas.head).toMatch(/^[0-9a-f]{40}$/);
      }),
    );
  });
});

function attempt(job: Parameters<typeof judgedCommit>[0]): ReturnType<typeof judgedCommit> | undefined {
  try {
    return judgedCommit(job);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(MistakeError);
    return undefined;
  }
}

describe('judgedCommit by hand', () => {
  it('takes the whole SHA, in any case and with blanks around it', async () => {
    const job = await jobOf('workflow_dispatch', events.workflowDispatchEvent(), onDefault);
    expect(judgedCommit(job, ` ${shas.head.toUpperCase()}\n`)).toEqual({
      kind: 'commit',
      sha: shas.head,
      meaning: 'the commit given as `commit-sha`',
      branch: { likely: ['main', 'main'] },
    });
  });

  it("keeps the event's branch where it is the event's commit", async () => {
    const job = await jobOf('push', events.pushEvent(), { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/heads/feature/a' });
    expect(judgedCommit(job, shas.head)).toMatchObject({ sha: shas.head, branch: { named: 'feature/a' } });
  });

  it('takes a commit where the event means none', async () => {
    const job = await jobOf('push', events.branchDeletionPushEvent(), onDefault);
    expect(judgedCommit(job, shas.head)).toMatchObject({ kind: 'commit', sha: shas.head });
  });

  it('takes an empty input for none', async () => {
    const job = await jobOf('schedule', events.scheduleEvent(), onDefault);
    expect(judgedCommit(job, '  ')).toMatchObject({ sha: shas.base });
  });

  it.each(['abc1234', 'v1.2.0', 'feature/a', 'HEAD~1', 'refs/tags/v1', 'main@{upstream}'])(
    'leaves the name %s to git',
    async (revision) => {
      const job = await jobOf('schedule', events.scheduleEvent(), onDefault);
      expect(judgedCommit(job, revision)).toMatchObject({
        kind: 'revision',
        revision,
        branch: { likely: [revision, 'main', 'main'] },
      });
    },
  );

  it.each(['--output=x', '-1', 'a..b', '^main', 'main:README.md', ':/fix', 'a b', 'a*', shas.zero])(
    'refuses %s, which names no commit',
    async (text) => {
      const job = await jobOf('schedule', events.scheduleEvent(), onDefault);
      expect(() => judgedCommit(job, text)).toThrow(/^commit-sha: ".+" does not name a commit\.$/);
    },
  );
});
