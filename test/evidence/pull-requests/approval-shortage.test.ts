import { describe, expect, it } from '@jest/globals';
import { findApprovalShortage } from '../../../src/evidence/pull-requests/approval-shortage.ts';
import type { PullRequestOfCommit } from '../../../src/evidence/pull-requests/gather-pull-requests.ts';
import type { PushAccess } from '../../../src/evidence/pull-requests/push-access.ts';

function pullRequest(...usernames: readonly string[]): PullRequestOfCommit {
  const approvals = usernames.map((username) => ({ username, state: 'APPROVED' as const }));
  const record = { merge_commit: '', url: '', state: 'MERGED', approvers: approvals, commits: [] };
  return { number: 12, approvals, record };
}

/** Names that begin with `w` may push; for those with `u`, GitHub does not say. */
function accessOf(asked: string[] = []): PushAccess {
  return {
    of: (username) => {
      asked.push(username);
      return Promise.resolve(username.startsWith('u') ? { unknown: 'no' } : { canPush: username.startsWith('w') });
    },
  };
}

describe('findApprovalShortage', () => {
  it('finds none if enough people with push access approved, and then stops asking', async () => {
    const asked: string[] = [];
    expect(await findApprovalShortage([pullRequest('eve', 'wim', 'wes')], 1, accessOf(asked))).toBeUndefined();
    expect(asked).toEqual(['eve', 'wim']);
  });

  it.each([0, 1])(
    'does not ask about access if it does not matter: a minimum of %s without approvals',
    async (minimum) => {
      const asked: string[] = [];
      const shortage = await findApprovalShortage([pullRequest()], minimum, accessOf(asked));
      expect(shortage).toEqual(minimum === 0 ? undefined : { counted: 0, cannotPush: [], unknown: [] });
      expect(asked).toEqual([]);
    },
  );

  it('does not ask about access if no approvals are required', async () => {
    const asked: string[] = [];
    expect(await findApprovalShortage([pullRequest('wim')], 0, accessOf(asked))).toBeUndefined();
    expect(await findApprovalShortage([], 0, accessOf(asked))).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('lists the approvers who do not count, for the pull request with the most approvals that count', async () => {
    const found = [pullRequest('eve', 'mal'), pullRequest('wim', 'eve', 'ulf'), pullRequest('wim')];
    expect(await findApprovalShortage(found, 2, accessOf())).toEqual({
      counted: 1,
      cannotPush: ['eve'],
      unknown: [{ username: 'ulf', why: 'no' }],
    });
  });

  it('finds none if another pull request has enough', async () => {
    expect(await findApprovalShortage([pullRequest('eve'), pullRequest('wim')], 1, accessOf())).toBeUndefined();
  });
});
