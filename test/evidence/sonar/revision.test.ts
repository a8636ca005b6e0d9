import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { namesCommit, refuseOtherCommit, type ScanEvent } from '../../../src/evidence/sonar/revision.ts';
import { UserError } from '../../../src/runtime/failure.ts';

const sha = fc.stringMatching(/^[0-9a-f]{40}$/u);

describe('a revision', () => {
  it('names a commit by its full SHA in either case, or by at least seven digits', () => {
    fc.assert(
      fc.property(sha, fc.integer({ min: 7, max: 40 }), fc.boolean(), (commit, digits, upper) => {
        const revision = commit.slice(0, digits);
        expect(namesCommit(upper ? revision.toUpperCase() : revision, commit)).toBe(true);
      }),
    );
  });

  it('does not name another commit', () => {
    fc.assert(
      fc.property(sha, sha, fc.integer({ min: 7, max: 40 }), (commit, other, digits) => {
        const revision = other.slice(0, digits);
        expect(namesCommit(revision, commit)).toBe(commit.startsWith(revision));
      }),
    );
  });

  it.each(['', 'c73906', '1042', 'c739069ec7105e01303e8b3065a81141aad9f129ff', 'release-1.2'])(
    'such as %j does not name a commit',
    (revision) => {
      expect(namesCommit(revision, 'c739069ec7105e01303e8b3065a81141aad9f129')).toBe(false);
    },
  );
});

describe('a revision of another commit', () => {
  const [head, base] = ['a'.repeat(40), 'b'.repeat(40)];

  /** The error for an analysis of this commit if the head is expected. */
  const toGitHubRefusal = (revision: string, event: Partial<ScanEvent>): UserError => {
    const whole = { name: 'push', sha: base, isCommitGiven: false, ...event };
    try {
      refuseOtherCommit(revision, head, { projectKey: 'acme:widgets', reportPath: 'report-task.txt', event: whole });
    } catch (error) {
      if (error instanceof UserError) return error;
    }
    throw new Error('it was not refused');
  };

  it('is refused with an error that names the event, both commits, the project and the report', () => {
    expect(toGitHubRefusal(base, { name: 'pull_request_target' }).message).toBe(
      `the Sonar analysis of project acme:widgets (report-task.txt) is for commit ${base}, but the commit being attested is ${head} (event pull_request_target)`,
    );
    expect(toGitHubRefusal(base, { name: undefined, isCommitGiven: true }).message).toContain(
      `but the commit given as \`commit-sha\` is ${head}`,
    );
  });

  it.each([
    ['pull_request_target', 'github.event.pull_request.head.sha'],
    ['pull_request_review', 'github.event.pull_request.head.sha'],
    ['workflow_run', 'github.event.workflow_run.head_sha'],
    ['check_suite', 'github.event.check_suite.head_sha'],
    ['status', 'github.event.sha'],
  ])('that is GITHUB_SHA is fixed at the scan: on %s with %s', (name, expression) => {
    const { remedy } = toGitHubRefusal(base, { name });
    expect(remedy).toBe(
      `The scanner reported GITHUB_SHA, as scanners do on most events, whatever is checked out: check out commit ${head} before the scan, and scan with \`-Dsonar.scm.revision=${head}\` (for the scan action \`with: args: -Dsonar.scm.revision=\${{ ${expression} }}\`).`,
    );
  });

  it.each([
    ['issue_comment', false],
    ['pull_request_target', true],
  ])('on %s (commit given: %s) is fixed with the commit itself, because the event does not name it', (name, given) => {
    const { remedy } = toGitHubRefusal(base, { name, isCommitGiven: given });
    expect(remedy).toContain(`\`-Dsonar.scm.revision=${head}\` (for the scan action as \`with: args:\`)`);
    expect(remedy).not.toContain('github.event');
  });

  it('that is not GITHUB_SHA either is probably an old report', () => {
    const { remedy } = toGitHubRefusal('c'.repeat(40), {});
    expect(remedy).toContain('not one that is left over from an earlier run');
    expect(remedy).toContain(`-Dsonar.scm.revision=${head}`);
  });

  it('never suggests the input that would attest the other commit', () => {
    fc.assert(
      fc.property(sha, fc.constantFrom('push', 'pull_request_target', 'issue_comment', undefined), (other, name) => {
        fc.pre(other !== head);
        expect(toGitHubRefusal(other, { name }).remedy).not.toContain('commit-sha');
      }),
    );
  });
});
