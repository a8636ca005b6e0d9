import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { namesCommit, refuseOtherCommit } from '../../../src/evidence/sonar/revision.ts';
import { MistakeError } from '../../../src/runtime/failure.ts';

const sha = fc.stringMatching(/^[0-9a-f]{40}$/u);

describe('a revision', () => {
  it('names a commit by its whole SHA, in either case, or by seven digits and more', () => {
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

  it('of another commit is refused with both commits, the project and the report', () => {
    const refuse = (): void => {
      refuseOtherCommit('b'.repeat(40), 'a'.repeat(40), 'acme:widgets', 'report-task.txt');
    };
    expect(refuse).toThrow(MistakeError);
    expect(refuse).toThrow(
      `the Sonar analysis of project acme:widgets (report-task.txt) is of commit ${'b'.repeat(40)}, but the commit being attested is ${'a'.repeat(40)}`,
    );
  });
});
