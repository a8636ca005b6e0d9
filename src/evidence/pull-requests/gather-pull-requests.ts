import { mayLackCommits, type PullRequest } from '../../contract/attestations/pull-request.ts';
import type { Log } from '../../runtime/log.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { truncate } from '../../runtime/truncate.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { authorLine, parseTimestamp } from '../commit/commit-facts.ts';
import type { RedactableField } from '../commit/commit-redaction.ts';
import { fullSha } from '../git/git-ref.ts';
import { pullRequestFromEvent } from '../github/event-pull-request.ts';
import type { GitHubApi } from '../github/github-api.ts';
import { readOne, readWholeList } from '../github/github-lists.ts';
import type { Job } from '../job.ts';
import { type Approval, approvalsIn } from './approvals.ts';
import { listCommitPullRequests } from './commit-pull-requests.ts';

export interface PullRequestOfCommit {
  readonly number: number;
  /** In the form of an attestation. */
  readonly record: PullRequest;
  /** The approvals by people who wrote neither the pull request nor one of its commits; none if these may lack some. */
  readonly approvals: readonly Approval[];
}

export interface PullRequestQuery {
  readonly sha: string;
  readonly job: Job;
  /** The input `redact-commit-info`, which holds for the commits of the pull requests, too. */
  readonly redact: readonly RedactableField[];
  readonly log: Log;
}

/** The maximum length of a recorded commit message, in characters: a pull request can have 250 commits. */
const maximumRecordedMessage = 500;

/**
 * Finds the pull requests that a commit belongs to: those that are open, and those that were merged, but not those that
 * were closed without a merge.
 *
 * @throws UserError if the token may not read them; ExternalError if GitHub failed
 */
export async function gatherPullRequests(
  query: PullRequestQuery,
  api: GitHubApi,
): Promise<readonly PullRequestOfCommit[]> {
  const { sha, log } = query;
  const belonging = (await listCommitPullRequests(sha, api)).filter(isOpenOrMerged);
  const all = belonging.length > 0 ? belonging : await readFromEvent(query, api);
  const found: PullRequestOfCommit[] = [];
  for (const pullRequest of all) {
    const number = valueAt(pullRequest, 'number');
    if (typeof number !== 'number') continue;
    const details = await readDetails(number, pullRequest, query, api);
    log.info(`Pull request ${number}: ${details.record.state}, approvals by others: ${details.approvals.length}`);
    found.push(details);
  }
  return found;
}

function isOpenOrMerged(pullRequest: unknown): boolean {
  return textAt(pullRequest, 'state') === 'open' || textAt(pullRequest, 'merged_at') !== undefined;
}

/**
 * The event's pull request, if the commit is its head; GitHub may not list it yet. The commit of a merge group is a new
 * one, which belongs to the pull request that its branch names.
 */
async function readFromEvent({ sha, job }: PullRequestQuery, api: GitHubApi): Promise<readonly unknown[]> {
  const queued = /\/pr-(\d{1,15})-[0-9a-f]{40}$/u.exec(textAt(job.event, 'merge_group', 'head_ref') ?? '')?.[1];
  const isQueued = queued !== undefined && fullSha(valueAt(job.event, 'merge_group', 'head_sha')) === sha;
  const named = pullRequestFromEvent(job);
  const number = isQueued ? Number(queued) : 'number' in named ? named.number : undefined;
  if (number === undefined) return [];
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const wanted = `pull request ${number}`;
  const one = await readOne(api, route, { pull_number: number }, { wanted, key: 'number' });
  return isOpenOrMerged(one) && (isQueued || fullSha(valueAt(one, 'head', 'sha')) === sha) ? [one] : [];
}

async function readDetails(
  number: number,
  pullRequest: unknown,
  { redact, log }: PullRequestQuery,
  api: GitHubApi,
): Promise<PullRequestOfCommit> {
  const parameters = { pull_number: number };
  const base = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const reviews = await readWholeList(api, `${base}/reviews`, parameters, `the reviews of pull request ${number}`);
  const commits = await readWholeList(api, `${base}/commits`, parameters, `the commits of pull request ${number}`);
  const approvers = approvalsIn(reviews);
  const author = textAt(pullRequest, 'user', 'login');
  const headRef = redact.includes('branch') ? undefined : textAt(pullRequest, 'head', 'ref');
  const authors = new Set([author, ...commits.map((one) => textAt(one, 'author', 'login'))]);
  const mergedAt = parseTimestamp(textAt(pullRequest, 'merged_at') ?? '');
  const isWhole = !mayLackCommits(commits.length);
  if (!isWhole && approvers.length > 0) {
    log.warning(
      `Approvals of pull request ${number} do not count, because GitHub lists only its first ${commits.length} commits, and so not all authors. Split the change into smaller pull requests.`,
    );
  }
  return {
    number,
    approvals: isWhole ? approvers.filter(({ username }) => !authors.has(username)) : [],
    record: omitUndefined({
      merge_commit: mergedAt === undefined ? '' : (textAt(pullRequest, 'merge_commit_sha') ?? ''),
      url: textAt(pullRequest, 'html_url') ?? '',
      state: mergedAt === undefined ? 'OPEN' : 'MERGED',
      approvers: [...approvers],
      author,
      created_at: parseTimestamp(textAt(pullRequest, 'created_at') ?? ''),
      merged_at: mergedAt,
      title: textAt(pullRequest, 'title'),
      head_ref: headRef,
      base_ref: textAt(pullRequest, 'base', 'ref'),
      commits: commits.flatMap((one) => toCommit(one, headRef ?? '', redact) ?? []),
    }),
  };
}

/** Redacted texts are empty, because the wire form requires them. */
function toCommit(
  commit: unknown,
  branch: string,
  redact: readonly RedactableField[],
): PullRequest['commits'][number] | undefined {
  const sha1 = fullSha(valueAt(commit, 'sha'));
  if (sha1 === undefined) return undefined;
  const inner = valueAt(commit, 'commit');
  const hidesAuthor = redact.includes('author');
  const verified = valueAt(inner, 'verification', 'verified');
  return omitUndefined({
    sha1,
    message: redact.includes('message') ? '' : truncate(textAt(inner, 'message') ?? '', maximumRecordedMessage),
    author: hidesAuthor
      ? ''
      : authorLine(textAt(inner, 'author', 'name') ?? '', textAt(inner, 'author', 'email') ?? ''),
    author_username: hidesAuthor ? undefined : textAt(commit, 'author', 'login'),
    timestamp: commitTime(inner) ?? 0,
    branch,
    url: textAt(commit, 'html_url'),
    verified: typeof verified === 'boolean' ? verified : undefined,
    signature_state: textAt(inner, 'verification', 'reason'),
  });
}

function commitTime(commit: unknown): number | undefined {
  const at = (who: string): number | undefined => parseTimestamp(textAt(commit, who, 'date') ?? '');
  return at('author') ?? at('committer');
}
