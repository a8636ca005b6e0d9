import { listTrails, trailPageSizes } from '../../contract/trail-list.ts';
import {
  type BranchCommit,
  type CommitRange,
  fetchHead,
  listFirstParents,
} from '../../evidence/commit/first-parent-commits.ts';
import { fullSha } from '../../evidence/git/git-ref.ts';
import type { GitHubApi } from '../../evidence/github/github-api.ts';
import type { Job } from '../../evidence/job.ts';
import {
  findMerged,
  listCommitPullRequests,
  type MergedPullRequest,
} from '../../evidence/pull-requests/commit-pull-requests.ts';
import { maximumConnections } from '../../http/connection-settings.ts';
import { mapConcurrently } from '../../runtime/concurrent.ts';
import { UserError } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { assertOne } from '../assert-trail/judge-trail.ts';
import { requireGitHub } from '../connect-github.ts';
import { githubToken } from '../inputs/evidence-inputs.ts';
import { flow } from '../inputs/flow-inputs.ts';
import { optional, required } from '../inputs/input.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { pluralize } from '../sentences.ts';
import { trailPageUrl } from '../trail-page-url.ts';
import { createAuditResult } from './audit-result.ts';
import {
  type AuditedCommit,
  chooseTrail,
  type CommitTrail,
  type FirstTrail,
  precedesTrails,
  selectCounting,
} from './audit-rules.ts';
import { branch, since } from './branch-inputs.ts';

/** Finds what went into a branch without a gate: compares its first-parent commits with the trails of a flow. */
export const auditBranch = defineOperation({
  name: 'audit-branch',
  gate: 'fail',
  inputs: {
    flow: required(flow),
    branch: optional(branch),
    since: optional(since),
    githubToken: optional(githubToken),
  },
  async run(values, context) {
    const { job, call } = context;
    const api = requireGitHub(values.githubToken, context, {
      wanted: 'the commits of the branch',
      permissions: 'contents: read, pull-requests: read',
    });
    const branchName = values.branch ?? defaultBranch(job);
    if (branchName === undefined) {
      throw new UserError({
        input: 'branch',
        what: '`branch` is not set, and the event does not name the default branch',
        remedy: 'Set `branch` to the name of the branch to audit.',
      });
    }
    const audit: Audit = { flow: values.flow, branch: branchName, api, context };
    return call.log.group('Audit the branch', async () => {
      const first = await findFirstTrail(audit);
      const head = await fetchHead(branchName, api);
      const found = { ...values, branch: branchName, head, first };
      if (first === undefined) {
        // An unknown flow has no trails, either.
        await judge(head, audit);
        return createAuditResult({ ...found, counting: [], uncounted: 0 }, context);
      }
      const query = { branch: branchName, head, since: values.since, first: fullSha(first.name) };
      const range = await listFirstParents(query, api);
      call.log.info(`${pluralize(range.commits.length, 'first-parent commit')} of branch ${branchName} up to ${head}`);
      const audited = await auditCommits(range, first, audit);
      const counting = selectCounting(audited, first, precedesTrails(range, values.since, first));
      const uncounted = range.commits.length - counting.length;
      return createAuditResult({ ...found, counting, uncounted }, context);
    });
  },
});

interface Audit {
  readonly flow: string;
  readonly branch: string;
  readonly api: GitHubApi;
  readonly context: OperationContext;
}

/** The events of schedules run on the default branch, and need not name it. */
function defaultBranch({ event, eventName, refName }: Job): string | undefined {
  return textAt(event, 'repository', 'default_branch') ?? (eventName === 'schedule' ? refName : undefined);
}

/** The first trail of the flow; undefined if it has none. */
async function findFirstTrail({ flow: name, context }: Audit): Promise<FirstTrail | undefined> {
  const { client, org } = context;
  const fetchPage = async (page: number) => {
    const query = { flow: name, page, per_page: trailPageSizes.maximum };
    return (await client.call(listTrails, { parameters: { org }, query })).body;
  };
  const { data, pagination } = await fetchPage(1);
  // The first page has it if a service lists the oldest first.
  const last = pagination.page_count > 1 ? (await fetchPage(pagination.page_count)).data : [];
  const [first] = [...data, ...last].toSorted((one, other) => one.created_at - other.created_at);
  return first === undefined ? undefined : { name: first.name, createdAt: first.created_at };
}

/** How many commits are looked up at once; commits below the first trail need not be. */
const portion = 50;

async function auditCommits({ commits }: CommitRange, first: FirstTrail, audit: Audit): Promise<AuditedCommit[]> {
  const audited: AuditedCommit[] = [];
  const hasBegun = (one: AuditedCommit | undefined): boolean => one?.trail?.name === first.name;
  // Several commits of a rebased pull request have the same trail.
  while (audited.length < commits.length && (hasBegun(audited.at(-1)) || !audited.some(hasBegun))) {
    const part = commits.slice(audited.length, audited.length + portion);
    audited.push(...(await mapConcurrently(part, maximumConnections, (commit) => auditCommit(commit, audit))));
    audit.context.call.log.info(`${audited.length} of ${commits.length} looked up`);
  }
  return audited;
}

/** GitHub is asked only about a commit without a compliant trail: each request counts against the token's limit. */
async function auditCommit(commit: BranchCommit, audit: Audit): Promise<AuditedCommit> {
  const own = await judge(commit.sha, audit);
  if (own?.verdict === 'compliant') return { commit, trail: own, pullRequests: [] };
  const listed = await listCommitPullRequests(commit.sha, audit.api);
  const pullRequests = findMerged(listed, audit.branch);
  if (own !== undefined) return { commit, trail: own, pullRequests };
  const heads = await Promise.all(pullRequests.map((one) => judge(one.headSha, audit, one)));
  return { commit, trail: chooseTrail(heads.filter((one) => one !== undefined)), pullRequests };
}

/** @returns undefined if there is no such trail */
async function judge(
  name: string,
  { flow: flowName, context }: Audit,
  pullRequest?: MergedPullRequest,
): Promise<CommitTrail | undefined> {
  const answer = await assertOne({ flow: flowName, trail: name }, context);
  if (answer.trail === undefined) return undefined;
  const { verdict, reasons, trail } = answer;
  const url = trail.html_url ?? trailPageUrl(context, flowName, name);
  return { name, verdict, reasons, url, ...(pullRequest === undefined ? {} : { pullRequest }) };
}
