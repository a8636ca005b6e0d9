import { describe, expect, it } from '@jest/globals';
import { approvalsIn } from '../../../src/evidence/pull-requests/approvals.ts';

function review(login: string, state: string, type = 'User'): unknown {
  return { user: { login, type }, state, submitted_at: '2026-01-02T03:04:05Z' };
}

function approversOf(...reviews: readonly unknown[]): readonly string[] {
  return approvalsIn(reviews).map(({ username }) => username);
}

describe('the approvals of a pull request', () => {
  it('have the name, the state and the time', () => {
    expect(approvalsIn([review('bob', 'APPROVED')])).toEqual([
      { username: 'bob', state: 'APPROVED', timestamp: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000 },
    ]);
  });

  it.each(['CHANGES_REQUESTED', 'DISMISSED'])('are taken back by %s', (state) => {
    expect(approversOf(review('bob', 'APPROVED'), review('eve', 'APPROVED'), review('bob', state))).toEqual(['eve']);
  });

  it.each(['COMMENTED', 'PENDING'])('stay after %s', (state) => {
    expect(approversOf(review('bob', 'APPROVED'), review('bob', state))).toEqual(['bob']);
  });

  it('count once, also after a request for changes', () => {
    expect(
      approversOf(review('bob', 'APPROVED'), review('bob', 'CHANGES_REQUESTED'), review('bob', 'APPROVED')),
    ).toEqual(['bob']);
  });

  it('are not those of bots and deleted users', () => {
    expect(approversOf(review('dependabot[bot]', 'APPROVED', 'Bot'), { user: null, state: 'APPROVED' }, null)).toEqual(
      [],
    );
  });
});
