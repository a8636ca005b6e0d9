import { describe, expect, it } from '@jest/globals';
import type { WorkflowRun } from '../../../src/evidence/github/workflow-run.ts';
import type { SpoolManifest } from '../../../src/evidence/spool/spool-item.ts';
import { claimProblem, hasReviewedCode, runProblem } from '../../../src/operations/replay/check-origin.ts';
import { startOfTime } from '../../support/clock.ts';
import { shas } from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';
import { sampleEntry } from '../../support/spool.ts';

const genuine: SpoolManifest = { version: 1, ...sampleEntry };
const job = jobOf('schedule', {});
const { document } = sampleEntry;

const claim = (manifest: SpoolManifest, runId = '4242'): string | undefined =>
  claimProblem(manifest, runId, job, startOfTime);

const withDocument = (changes: SpoolManifest['document']): SpoolManifest => ({
  ...genuine,
  document: { ...document, ...changes },
});

const withData = (changes: SpoolManifest['document']): SpoolManifest =>
  withDocument({ user_data: { ...document.user_data, ...changes } });

describe('claimProblem', () => {
  it('accepts what a step of this repository kept', () => {
    expect(claim(genuine)).toBeUndefined();
    expect(claim({ ...genuine, run: { ...genuine.run, repository: 'Acme/Widgets' } })).toBeUndefined();
    expect(
      claim(withDocument({ user_data: { mine: 1 }, origin_url: undefined, repo_info: undefined })),
    ).toBeUndefined();
  });

  it.each<readonly [string, SpoolManifest, string, string?]>([
    ['the run that it was downloaded from', genuine, 'was downloaded from run 7', '7'],
    [
      'the repository',
      { ...genuine, run: { ...genuine.run, repository: 'acme/other' } },
      'is from the repository acme/other',
    ],
    ['the time', { ...genuine, gathered_at: '2999-01-01T00:00:00.000Z' }, 'gathered in the future'],
    ['a time that does not exist', { ...genuine, gathered_at: '2026-13-01T00:00:00.000Z' }, 'gathered in the future'],
    ['the commit', withDocument({ git_commit_info: { sha1: 'b'.repeat(40) } }), 'but its run was for'],
    ['the commit, which is missing', withDocument({ git_commit_info: undefined }), 'is for commit (none)'],
    ['the run in the idempotency key', { ...genuine, idempotency_key: '7-0123' }, 'is not from its run'],
    ['the idempotency key', withData({ idempotency_key: 'other' }), 'another `user_data.idempotency_key`'],
    [
      'the time in the document',
      withData({ gathered_at: '2026-01-01T00:00:00.000Z' }),
      'another `user_data.gathered_at`',
    ],
    ['the run in the document', withData({ github: { run_id: '7' } }), 'another `user_data.github.run_id`'],
    ['a run that is no text', withData({ github: { run_id: 4242 } }), 'another `user_data.github.run_id`'],
    [
      'the event in the document',
      withData({ github: { event_name: 'release' } }),
      'another `user_data.github.event_name`',
    ],
    [
      'the repository in the document',
      withData({ github: { repository: 'acme/x' } }),
      'another repository in `user_data.git',
    ],
    [
      'the repository for readers',
      withDocument({ repo_info: { name: 'acme/x' } }),
      'another repository in `repo_info.name`',
    ],
    [
      'the page of the run',
      withDocument({ origin_url: 'https://github.com/acme/widgets/actions/runs/42421' }),
      'the page of another run',
    ],
    [
      'a page elsewhere',
      withDocument({ origin_url: 'https://evil.example/acme/widgets/actions/runs/4242' }),
      'the page of another run',
    ],
  ])('refuses an item that lies about %s', (_what, manifest, reason, runId = '4242') => {
    expect(claim(manifest, runId)).toContain(reason);
  });
});

const run: WorkflowRun = {
  attempt: 2,
  eventName: 'push',
  headSha: shas.head,
  headBranch: 'main',
  repository: 'acme/widgets',
  headRepository: 'acme/widgets',
  actor: 'ann',
  createdAt: startOfTime - 7_200_000,
};

describe('hasReviewedCode', () => {
  const onMain = jobOf('schedule', {}, { GITHUB_REF: 'refs/heads/main' });

  it('holds for a run of the branch that the replay runs on', () => {
    for (const eventName of ['push', 'schedule']) expect(hasReviewedCode({ ...run, eventName }, onMain)).toBe(true);
  });

  it.each<readonly [string, Partial<WorkflowRun>]>([
    ['a pull request of the branch', { eventName: 'pull_request' }],
    ['a review', { eventName: 'pull_request_review' }],
    ['a comment on a review', { eventName: 'pull_request_review_comment' }],
    ['the base of a pull request', { eventName: 'pull_request_target' }],
    ['another finished run', { eventName: 'workflow_run' }],
    ['a comment on a pull request', { eventName: 'issue_comment' }],
    ['a finished check suite', { eventName: 'check_suite' }],
    ['a finished check', { eventName: 'check_run' }],
    ['the status of a commit', { eventName: 'status' }],
    ['another branch', { headBranch: 'lid' }],
    ['a merge queue', { eventName: 'merge_group', headBranch: `gh-readonly-queue/main/pr-12-${shas.base}` }],
    ['nothing that GitHub names', { headBranch: undefined }],
  ])('does not hold for a run of %s', (_what, changes) => {
    expect(hasReviewedCode({ ...run, ...changes }, onMain)).toBe(false);
  });

  it('does not hold if the replay itself runs on no branch', () => {
    for (const ref of ['refs/tags/main', 'refs/pull/12/merge', '']) {
      const { refName } = jobOf('push', {}, { GITHUB_REF: ref });
      expect(hasReviewedCode({ ...run, headBranch: refName }, jobOf('push', {}, { GITHUB_REF: ref }))).toBe(false);
    }
  });
});

describe('runProblem', () => {
  it('accepts an item that fits its run, or an earlier attempt of it', () => {
    expect(runProblem(genuine, run)).toBeUndefined();
    expect(runProblem(genuine, { ...run, attempt: 3 })).toBeUndefined();
  });

  it.each<readonly [string, Partial<WorkflowRun>, string]>([
    ['a fork', { headRepository: 'mallory/widgets' }, 'which a fork triggered'],
    ['a fork that was deleted', { headRepository: undefined }, 'which a fork triggered'],
    ['Dependabot', { actor: 'dependabot[bot]' }, 'which Dependabot started'],
    [
      'another repository',
      { repository: 'acme/x', headRepository: 'acme/x' },
      'is from a run of the repository acme/x',
    ],
    ['another event', { eventName: 'schedule' }, 'claims the event push'],
    ['another commit', { headSha: 'b'.repeat(40) }, 'but run 4242 was for'],
    ['an earlier attempt', { attempt: 1 }, 'claims attempt 2 of 1'],
    ['a later time', { createdAt: startOfTime }, 'gathered before its run began'],
  ])('refuses an item of %s', (_what, changes, reason) => {
    expect(runProblem(genuine, { ...run, ...changes })).toContain(reason);
  });
});
