import { toArtifactState, type Verdict } from '../../contract/compliance.ts';
import { type Reason, toReasonState } from '../../contract/reason.ts';
import type { BranchCommit, CommitRange, Since } from '../../evidence/commit/first-parent-commits.ts';
import type { MergedPullRequest } from '../../evidence/pull-requests/commit-pull-requests.ts';
import { summarizeReasons } from '../reasons.ts';
import { abbreviate } from '../report.ts';

/** The trail that a commit is judged by. */
export interface CommitTrail {
  readonly name: string;
  /** The pull request whose head has the trail; absent if the commit itself has it. */
  readonly pullRequest?: MergedPullRequest;
  readonly verdict: Verdict;
  /** The worst first; empty if it is compliant. */
  readonly reasons: readonly Reason[];
  readonly url: string;
}

export interface AuditedCommit {
  readonly commit: BranchCommit;
  /** Those that were merged into the branch; empty if the commit has a compliant trail of its own. */
  readonly pullRequests: readonly MergedPullRequest[];
  /** Absent if neither the commit nor a head of its pull requests has one. */
  readonly trail?: CommitTrail | undefined;
}

export interface FirstTrail {
  readonly name: string;
  /** In Unix seconds, by the service's clock. */
  readonly createdAt: number;
}

/** The trail of one of the heads of a commit's pull requests: a compliant one if there is any. */
export function chooseTrail(heads: readonly CommitTrail[]): CommitTrail | undefined {
  return heads.find(({ verdict }) => verdict === 'compliant') ?? heads[0];
}

/**
 * Whether no trail of the flow can be about a commit before the range: it goes back to the first commit, or to a time
 * before there were trails.
 */
export function precedesTrails({ isWhole }: CommitRange, since: Since | undefined, first: FirstTrail): boolean {
  return isWhole || (since?.time !== undefined && first.createdAt >= since.time);
}

/**
 * The commits that count: not those before the first trail. Dates decide nothing here, because whoever pushes a commit
 * can choose them: only the order of the commits does.
 *
 * @param audited the newest first
 * @param isEarly whether no trail can be about an older commit (`precedesTrails`)
 */
export function selectCounting(
  audited: readonly AuditedCommit[],
  first: FirstTrail,
  isEarly: boolean,
): readonly AuditedCommit[] {
  const begin = audited.findLastIndex(({ trail }) => trail?.name === first.name);
  if (begin >= 0) return audited.slice(0, begin + 1);
  const oldest = audited.findLastIndex(({ trail }) => trail !== undefined);
  return isEarly && oldest >= 0 ? audited.slice(0, oldest + 1) : audited;
}

export function isCompliant({ trail }: AuditedCommit): boolean {
  return trail?.verdict === 'compliant';
}

/** Why a commit is not compliant. */
export function toAuditReason({ commit, pullRequests, trail }: AuditedCommit, branch: string): Reason {
  const named = pullRequests.map(({ number }) => `pull request ${number}`).join(', ');
  const about = `${abbreviate(commit.sha)} by ${commit.author}${named === '' ? '' : ` (${named})`}`;
  if (trail === undefined || trail.verdict === 'compliant') {
    const value =
      named === ''
        ? `it has no trail, and GitHub names no pull request of it that was merged into ${branch}`
        : `neither the commit nor the head of ${named} has a trail`;
    return { state: 'missing', about, value, ...(commit.url === undefined ? {} : { html_url: commit.url }) };
  }
  const { name, verdict, reasons, pullRequest, url } = trail;
  const whose = pullRequest === undefined ? 'its trail' : `trail ${abbreviate(name)} of the pull request's head`;
  const value = `${whose} is ${summarizeReasons(toArtifactState(verdict), reasons, `trail ${name}`)}`;
  return { state: toReasonState(verdict), about, value, html_url: url };
}
