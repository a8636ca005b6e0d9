import type { PullRequestOfCommit } from './gather-pull-requests.ts';
import type { PushAccess } from './push-access.ts';

/** Why no pull request has enough approvals. */
export interface ApprovalShortage {
  /** How many approvals count, for the pull request that has the most. */
  readonly counted: number;
  /** Approvers who are not its authors but cannot push, so that their approvals do not count. */
  readonly cannotPush: readonly string[];
  /** Approvers whose access GitHub did not report, and why. Their approvals do not count either. */
  readonly unknown: readonly { readonly username: string; readonly why: string }[];
}

/**
 * Why no pull request has enough approvals by others than its authors who can push; undefined if one has. Anybody can
 * approve in a public repository, but without push access that means nothing. GitHub is asked only if that decides.
 *
 * @param minimum how many approvals a pull request must have
 */
export async function findApprovalShortage(
  found: readonly PullRequestOfCommit[],
  minimum: number,
  access: PushAccess,
): Promise<ApprovalShortage | undefined> {
  const most = Math.max(0, ...found.map(({ approvals }) => approvals.length));
  if (most < minimum) return { counted: most, cannotPush: [], unknown: [] };
  let best: ApprovalShortage | undefined;
  for (const pullRequest of found) {
    if (pullRequest.approvals.length < minimum) continue;
    const shortage = await weigh(pullRequest, minimum, access);
    if (shortage === undefined) return undefined;
    if (best === undefined || shortage.counted > best.counted) best = shortage;
  }
  return best;
}

async function weigh(
  { approvals }: PullRequestOfCommit,
  minimum: number,
  access: PushAccess,
): Promise<ApprovalShortage | undefined> {
  let counted = 0;
  const cannotPush: string[] = [];
  const unknown: { readonly username: string; readonly why: string }[] = [];
  for (const { username } of approvals) {
    if (counted >= minimum) break;
    const answer = await access.of(username);
    if ('unknown' in answer) unknown.push({ username, why: answer.unknown });
    else if (answer.canPush) counted += 1;
    else cannotPush.push(username);
  }
  return counted >= minimum ? undefined : { counted, cannotPush, unknown };
}
