import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCommitFromPayload } from '../../../src/evidence/commit/payload-commit.ts';
import { isMapping, type Mapping } from '../../../src/runtime/untrusted-data.ts';
import * as events from '../../support/events.ts';

const { shas, webhookCommit } = events;

describe('readCommitFromPayload', () => {
  it.each<[string, Mapping, string, string]>([
    ['push', events.pushEvent(), 'feat: first\n\nbody line', 'Ann Dev <ann@example.com>'],
    ['push of a tag', events.tagPushEvent(), 'feat: first\n\nbody line', 'Ann Dev <ann@example.com>'],
    [
      'merge_group',
      events.mergeGroupEvent(),
      'Merge pull request #12 from acme/feature/lid',
      'Ann Dev <ann@example.com>',
    ],
    ['workflow_run', events.workflowRunEvent(), 'feat: lid', 'Ann Dev <ann@example.com>'],
    ['check_suite', events.checkSuiteEvent(), 'feat: lid', 'Ann Dev <ann@example.com>'],
  ])('finds the commit in a %s', (_name, event, message, author) => {
    const timestamp = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
    expect(readCommitFromPayload(event, shas.head)).toEqual({
      found: { sha: shas.head, author, message, timestamp, committerTimestamp: timestamp },
    });
  });

  it('finds an earlier commit of a push', () => {
    const earlier = webhookCommit(shas.base, { message: '' });
    const event = events.pushEvent({ commits: [earlier, webhookCommit(shas.head)] });
    expect(readCommitFromPayload(event, shas.base)).toMatchObject({ found: { sha: shas.base, message: '' } });
  });

  it.each<[string, Mapping]>([
    ['describes another commit', events.pushEvent({ head_commit: webhookCommit(shas.base), commits: [] })],
    ['holds the SHA alone, as a pull request', events.pullRequestEvent()],
    ['holds nothing', {}],
    ['lacks the author', events.workflowRunEvent({ head_commit: webhookCommit(shas.head, { author: null }) })],
    ['lacks the message', events.workflowRunEvent({ head_commit: webhookCommit(shas.head, { message: null }) })],
    ['lacks the time', events.workflowRunEvent({ head_commit: webhookCommit(shas.head, { timestamp: 'soon' }) })],
  ])('is a miss if the payload %s', (_what, event) => {
    expect(readCommitFromPayload(event, shas.head)).toMatchObject({
      miss: { kind: 'user', what: 'it does not describe the commit' },
    });
  });

  it('never throws, whatever the payload contains', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3 }), (commit) => {
        const event = { head_commit: isMapping(commit) ? { ...commit, id: shas.head } : commit, commits: commit };
        expect(Object.keys(readCommitFromPayload(event, shas.head))).toHaveLength(1);
      }),
    );
  });
});
