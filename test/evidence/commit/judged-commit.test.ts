import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgedCommit } from '../../../src/evidence/commit/judged-commit.ts';
import { UserError } from '../../../src/runtime/failure.ts';
import { type Mapping, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { eventRuns, onDefault } from '../../support/event-runs.ts';
import * as events from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';

const { shas } = events;

describe('judgedCommit without `commit-sha`', () => {
  it.each(eventRuns)('finds the commit and the branch of $title', ({ eventName, event, variables, judged }) => {
    expect(judgedCommit(jobOf(eventName, event, variables))).toMatchObject(judged);
  });

  it('keeps the label of the branch of a deleted fork', () => {
    const event = {
      ...events.pullRequestEvent(),
      pull_request: { head: { sha: shas.head, label: 'gone:main', repo: null } },
    };
    const job = jobOf('pull_request', event, { GITHUB_HEAD_REF: 'main' });
    expect(judgedCommit(job)).toMatchObject({ branch: { named: 'gone:main' } });
  });

  it.each<[string, Mapping]>([
    ['without a label', {}],
    ['whose label does not name an owner', { label: 'main' }],
    ['whose owner has the repository itself, too', { label: 'acme:main', user: { login: 'acme' } }],
  ])('names no branch of a deleted fork %s, rather than a branch of the base repository', (_what, more) => {
    const { pull_request: pullRequest, ...event } = events.pullRequestEvent({ fork: true });
    const base = valueAt(pullRequest, 'base');
    const gone = { base, head: { sha: shas.head, ref: 'main', repo: null, ...more } };
    for (const name of ['pull_request', 'pull_request_target']) {
      const job = jobOf(name, { ...event, pull_request: gone }, { GITHUB_HEAD_REF: 'main' });
      expect(judgedCommit(job)).toMatchObject({ sha: shas.head, branch: { named: undefined } });
    }
  });

  it('labels the branch of a deleted fork with the owner if it is known', () => {
    const head = { sha: shas.head, ref: 'main', repo: null, user: { login: 'gone' } };
    const job = jobOf('pull_request', { pull_request: { head } }, { GITHUB_HEAD_REF: 'main' });
    expect(judgedCommit(job)).toMatchObject({ branch: { named: 'gone:main' } });
  });

  it('records no branch for a finished run of a deleted fork', () => {
    const job = jobOf(
      'workflow_run',
      events.workflowRunEvent({ head_branch: 'main', head_repository: null }),
      onDefault,
    );
    expect(judgedCommit(job)).toMatchObject({ sha: shas.head, branch: { named: undefined } });
  });

  it.each([
    ['push', events.branchDeletionPushEvent(), /deleted refs\/heads\/old/],
    ['delete', events.deleteEvent(), /deleted old/],
  ])('refuses a %s that deletes a branch', (name, event, words) => {
    const job = jobOf(name, event, onDefault);
    expect(() => judgedCommit(job)).toThrow(UserError);
    expect(() => judgedCommit(job)).toThrow(words);
  });

  it.each([
    'pull_request',
    'pull_request_target',
    'pull_request_review_comment',
    'workflow_run',
    'check_suite',
    'status',
  ])('never takes GITHUB_SHA for the commit of a %s whose payload is missing', (name) => {
    const job = jobOf(name, {}, { GITHUB_SHA: shas.merge, GITHUB_REF: 'refs/heads/main' });
    expect(() => judgedCommit(job)).toThrow(/The SHA of .* is unknown/);
  });

  it.each(['push', 'merge_group', 'release', 'deployment', 'schedule'])(
    'uses GITHUB_SHA for a %s without a payload',
    (name) => {
      const job = jobOf(name, {}, { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/heads/main' });
      expect(judgedCommit(job)).toMatchObject({ kind: 'commit', sha: shas.head });
    },
  );

  it('fails if neither the event nor the variables contain a commit', () => {
    expect.assertions(2);
    try {
      judgedCommit(jobOf('schedule', {}, { GITHUB_SHA: shas.zero }));
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(UserError);
      expect(thrown).toMatchObject({ remedy: expect.stringContaining('`commit-sha`') });
    }
  });

  it('never returns an empty branch or an invalid SHA, whatever the payload contains', () => {
    const names = [...new Set(eventRuns.map(({ eventName }) => eventName))];
    fc.assert(
      fc.property(fc.constantFrom(...eventRuns), fc.constantFrom(...names), fc.json(), (known, name, json) => {
        const { event, variables } = known;
        const broken: Mapping = {
          ...event,
          release: JSON.parse(json),
          deployment: '',
          workflow_run: { head_branch: '' },
        };
        const judged = attempt(jobOf(name, broken, { ...variables, GITHUB_REF_NAME: '', GITHUB_HEAD_REF: '' }));
        expect([judged?.branch.named, judged?.branch.fallback]).not.toContain('');
        expect(judged?.kind === 'commit' ? judged.sha : shas.head).toMatch(/^[0-9a-f]{40}$/);
      }),
    );
  });
});

function attempt(job: Parameters<typeof judgedCommit>[0]): ReturnType<typeof judgedCommit> | undefined {
  try {
    return judgedCommit(job);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(UserError);
    return undefined;
  }
}

describe('judgedCommit with `commit-sha`', () => {
  it('accepts a full SHA in any case and trims blanks', () => {
    const job = jobOf('workflow_dispatch', events.workflowDispatchEvent(), onDefault);
    expect(judgedCommit(job, ` ${shas.head.toUpperCase()}\n`)).toEqual({
      kind: 'commit',
      sha: shas.head,
      meaning: 'the commit given as `commit-sha`',
      branch: { likely: ['main', 'main'] },
    });
  });

  it("keeps the event's branch for the event's commit", () => {
    const job = jobOf('push', events.pushEvent(), { GITHUB_SHA: shas.head, GITHUB_REF: 'refs/heads/feature/a' });
    expect(judgedCommit(job, shas.head)).toMatchObject({ sha: shas.head, branch: { named: 'feature/a' } });
  });

  it('accepts a commit if the event has none', () => {
    const job = jobOf('push', events.branchDeletionPushEvent(), onDefault);
    expect(judgedCommit(job, shas.head)).toMatchObject({ kind: 'commit', sha: shas.head });
  });

  it('treats an empty input as not set', () => {
    const job = jobOf('schedule', events.scheduleEvent(), onDefault);
    expect(judgedCommit(job, '  ')).toMatchObject({ sha: shas.base });
  });

  it.each(['abc1234', 'v1.2.0', 'feature/a', 'HEAD~1', 'refs/tags/v1', 'main@{upstream}'])(
    'leaves the name %s to git',
    (revision) => {
      const job = jobOf('schedule', events.scheduleEvent(), onDefault);
      expect(judgedCommit(job, revision)).toMatchObject({
        kind: 'revision',
        revision,
        branch: { likely: [revision, 'main', 'main'] },
      });
    },
  );

  it.each(['--output=x', '-1', 'a..b', '^main', 'main:README.md', ':/fix', 'a b', 'a*', shas.zero])(
    'refuses %s, which names no commit',
    (text) => {
      const job = jobOf('schedule', events.scheduleEvent(), onDefault);
      expect(() => judgedCommit(job, text)).toThrow(/^commit-sha: ".+" does not name a commit\.$/);
    },
  );
});
