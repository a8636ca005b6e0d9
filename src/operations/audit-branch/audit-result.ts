import { toArtifactState } from '../../contract/compliance.ts';
import { type Reason, sortReasons } from '../../contract/reason.ts';
import type { Since } from '../../evidence/commit/first-parent-commits.ts';
import { repositoryUrl } from '../../evidence/job.ts';
import { formatTime } from '../format-time.ts';
import type { OperationContext, OperationResult } from '../operation.ts';
import { concludeWithReasons } from '../reasons.ts';
import { abbreviate, fact, link, listTable, plain, type Text } from '../report.ts';
import { pluralize } from '../sentences.ts';
import { type AuditedCommit, type FirstTrail, isCompliant, toAuditReason } from './audit-rules.ts';

interface FoundAudit {
  readonly flow: string;
  readonly branch: string;
  readonly head: string;
  readonly since: Since | undefined;
  /** Undefined if the flow has no trails. */
  readonly first: FirstTrail | undefined;
  /** The newest first. */
  readonly counting: readonly AuditedCommit[];
  /** How many commits are before the first trail. */
  readonly uncounted: number;
}

/** How many rows the table has at most. */
const maximumRows = 200;

const judgedBy =
  'Trails are judged by the current template, which may require other evidence than when the commit was made.';

/** A commit without a compliant trail makes the audit non-compliant; without commits, it is incomplete. */
export function createAuditResult(found: FoundAudit, { job, client, org }: OperationContext): OperationResult {
  const { flow, branch, head, since, first, counting, uncounted } = found;
  const red = counting.filter((one) => !isCompliant(one));
  const reasons =
    counting.length === 0 ? [explainEmpty(found)] : sortReasons(red.map((one) => toAuditReason(one, branch)));
  const beginning = since?.sha ?? formatTime(since?.time);
  const range = `${pluralize(counting.length, 'commit')} of branch ${branch}${beginning === undefined ? '' : ` since ${beginning}`}`;
  const bySquash = counting.filter(({ trail }) => trail?.pullRequest !== undefined).length;
  const rows = [...red, ...counting.filter(isCompliant)].slice(0, maximumRows).map(toRow);
  const repository = repositoryUrl(job);
  return {
    outcome: counting.length === 0 ? 'incomplete' : red.length > 0 ? 'non-compliant' : 'compliant',
    conclusion: concludeWithReasons(
      `${counting.length - red.length} of ${range} have a compliant trail in flow ${flow}`,
      reasons,
      { more: [judgedBy] },
    ),
    response: toResponse(found),
    count: counting.length,
    htmlUrl: client.pageUrl(org, 'flows', flow),
    commits: [head],
    report: {
      subject: `Branch ${branch}`,
      reasons,
      facts: [
        ...fact('Flow', flow),
        ...fact('Branch', branch),
        ...fact('Head', head, repository === undefined ? undefined : `${repository}/commit/${head}`),
        ...fact('Since', beginning),
        ...fact('First trail', first?.name),
        ...fact('Judged commits', `${counting.length}, ${red.length} without a compliant trail`),
        ...fact(
          'Before the first trail',
          uncounted === 0 ? undefined : `${pluralize(uncounted, 'commit')}, not judged`,
        ),
        ...fact('Judged by the head of their pull request', bySquash === 0 ? undefined : String(bySquash)),
        ...fact('Template', judgedBy),
      ],
      tables: listTable('Commits', ['Commit', 'Author', 'Pull request', 'Trail', 'Verdict'], rows, counting.length),
    },
  };
}

function explainEmpty({ first, branch, flow }: FoundAudit): Reason {
  if (first === undefined) return { state: 'missing', about: `flow ${flow}`, value: 'it has no trails yet' };
  return {
    state: 'incomplete',
    about: `branch ${branch}`,
    value: 'it has no commits since then, so nothing was judged',
  };
}

function toRow({ commit, pullRequests, trail }: AuditedCommit): readonly Text[] {
  const [pullRequest] = trail?.pullRequest === undefined ? pullRequests : [trail.pullRequest];
  const whose = trail?.pullRequest === undefined ? 'commit' : 'head of the pull request';
  const verdict = trail?.verdict;
  return [
    link(abbreviate(commit.sha), commit.url),
    plain(commit.author),
    pullRequest === undefined ? plain('') : link(`#${pullRequest.number}`, pullRequest.url),
    trail === undefined ? plain('none') : link(`${abbreviate(trail.name)} (${whose})`, trail.url),
    plain(
      verdict === 'compliant'
        ? '✅ COMPLIANT'
        : verdict === undefined
          ? '❌ no trail'
          : `❌ ${toArtifactState(verdict)}`,
    ),
  ];
}

function toResponse({ flow, branch, head, since, first, counting, uncounted }: FoundAudit): unknown {
  return {
    flow,
    branch,
    head,
    since: since?.sha ?? formatTime(since?.time) ?? null,
    first_trail: first?.name ?? null,
    commits_before_first_trail: uncounted,
    commits: counting.map((audited) => ({
      sha: audited.commit.sha,
      author: audited.commit.author,
      committed_at: audited.commit.time ?? null,
      pull_requests: audited.pullRequests.map(({ number }) => number),
      trail: audited.trail?.name ?? null,
      is_trail_of_pull_request: audited.trail?.pullRequest !== undefined,
      compliance_state: audited.trail === undefined ? null : toArtifactState(audited.trail.verdict),
      reason: isCompliant(audited) ? null : toAuditReason(audited, branch),
    })),
  };
}
