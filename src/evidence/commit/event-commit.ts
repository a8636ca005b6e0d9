import type { Problem } from '../../runtime/failure.ts';
import { isMapping, listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { branchName, fullSha } from '../git/git-ref.ts';
import type { Job } from '../job.ts';
import { type BranchHint, labelledBranch, pullRequestBranch } from './branch.ts';

/** What a commit stands for, and on which branch it may be. */
export interface IntendedCommit {
  /** What the commit is, for log and errors: `the head of pull request 12`. */
  readonly meaning: string;
  readonly branch: BranchHint;
}

/** The commit that an event is about, as far as the event's payload identifies it. */
export type EventCommit =
  /** The commit itself is known. */
  | (IntendedCommit & { readonly kind: 'commit'; readonly sha: string })
  /** The event is about a pull request and does not say which commit its head is. */
  | (IntendedCommit & { readonly kind: 'pull-request'; readonly number: number });

type Rule = (job: Job) => EventCommit | Problem;

/**
 * The events whose commit is not simply `GITHUB_SHA` on `GITHUB_REF` (GitHub's documentation, "Events that trigger
 * workflows"). All others (`schedule`, `workflow_dispatch`, `repository_dispatch`, `create`, `issues`, ...) are about
 * the commit that GitHub checks out.
 */
const rules: ReadonlyMap<string, Rule> = new Map([
  ['push', pushed],
  ['delete', deleted],
  ['pull_request', pullRequestHead],
  ['pull_request_target', pullRequestHead],
  ['pull_request_review', pullRequestHead],
  ['pull_request_review_comment', pullRequestHead],
  ['merge_group', mergeGroup],
  ['workflow_run', workflowRun],
  ['release', released],
  ['issue_comment', commented],
  ['deployment', deployed],
  ['deployment_status', deployed],
  ['check_suite', checkSuite],
  ['check_run', checkRun],
  ['status', statusReported],
]);

/** The commit that the job's event is about; a problem if the event has no commit. */
export function eventCommit(job: Job): EventCommit | Problem {
  const rule = rules.get(job.eventName ?? '') ?? checkedOut;
  return rule(job);
}

/** The commit that GitHub checks out. */
function checkedOut(job: Job): EventCommit | Problem {
  const where = job.refName === undefined ? '' : ` on ${job.refName}`;
  return toEventCommit(
    job,
    fullSha(job.sha),
    `the commit of the event ${job.eventName ?? '(none)'}${where}`,
    refBranch(job),
  );
}

function pushed(job: Job): EventCommit | Problem {
  if (valueAt(job.event, 'deleted') === true) return deleted(job);
  // `after` is the tag object's SHA when an annotated tag is pushed; `head_commit` is always the commit.
  const sha =
    fullSha(valueAt(job.event, 'head_commit', 'id')) ?? fullSha(job.sha) ?? fullSha(valueAt(job.event, 'after'));
  const branch = refBranch(job);
  // For a pushed tag, GitHub may name a branch that contains the commit.
  const base = job.refType === 'tag' ? branchName(textAt(job.event, 'base_ref')) : undefined;
  return toEventCommit(job, sha, `the commit pushed to ${job.refName ?? 'the repository'}`, {
    ...branch,
    ...(base === undefined ? {} : { named: base }),
  });
}

function deleted(job: Job): Problem {
  return {
    what: `The event ${job.eventName ?? ''} deleted ${textAt(job.event, 'ref') ?? 'a branch or a tag'}, so there is no commit to judge.`,
    remedy: 'Skip this step when a branch or tag is deleted, or set `commit-sha`.',
  };
}

/** The head, never `GITHUB_SHA`: that is the merge commit that GitHub creates for the run, or the target branch. */
function pullRequestHead(job: Job): EventCommit | Problem {
  const number = valueAt(job.event, 'pull_request', 'number');
  // GITHUB_HEAD_REF does not include the owner: the branch of a deleted fork would look like one of this repository.
  const isForkDeleted = valueAt(job.event, 'pull_request', 'head', 'repo') === null;
  return toEventCommit(
    job,
    fullSha(valueAt(job.event, 'pull_request', 'head', 'sha')),
    typeof number === 'number' ? `the head of pull request ${number}` : 'the head of the pull request',
    { named: pullRequestBranch(valueAt(job.event, 'pull_request')) ?? (isForkDeleted ? undefined : job.headRef) },
  );
}

/** The branch is the queue's own (`gh-readonly-queue/...`, in `GITHUB_REF_NAME`): the target lacks it so far. */
function mergeGroup(job: Job): EventCommit | Problem {
  const target = branchName(textAt(job.event, 'merge_group', 'base_ref'));
  return toEventCommit(
    job,
    fullSha(valueAt(job.event, 'merge_group', 'head_sha')) ?? fullSha(job.sha),
    `the head of the merge group${target === undefined ? '' : ` for ${target}`}`,
    { named: branchName(textAt(job.event, 'merge_group', 'head_ref')) ?? job.refName ?? target },
  );
}

function workflowRun(job: Job): EventCommit | Problem {
  const run = valueAt(job.event, 'workflow_run');
  const name = textAt(run, 'name');
  const branch = textAt(run, 'head_branch');
  return toEventCommit(
    job,
    fullSha(valueAt(run, 'head_sha')),
    `the commit of the finished workflow run${name === undefined ? '' : ` "${name}"`}`,
    { named: labelledBranch(branch, valueAt(run, 'head_repository'), valueAt(job.event, 'repository')) },
  );
}

/** `target_commitish` is only likely: GitHub sets the default branch if the tag existed before the release. */
function released(job: Job): EventCommit | Problem {
  const tag = textAt(job.event, 'release', 'tag_name') ?? job.refName;
  return toEventCommit(
    job,
    fullSha(job.sha),
    tag === undefined ? 'the released commit' : `the commit of the release ${tag}`,
    {
      likely: [branchName(textAt(job.event, 'release', 'target_commitish')), defaultBranch(job)],
      fallback: tag,
    },
  );
}

/** A comment on a pull request is about the pull request; a comment on an issue is about the default branch. */
function commented(job: Job): EventCommit | Problem {
  const number = valueAt(job.event, 'issue', 'number');
  if (!isMapping(valueAt(job.event, 'issue', 'pull_request')) || typeof number !== 'number') return checkedOut(job);
  return { kind: 'pull-request', number, meaning: `the head of pull request ${number}`, branch: {} };
}

function deployed(job: Job): EventCommit | Problem {
  const environment = textAt(job.event, 'deployment', 'environment');
  const ref = textAt(job.event, 'deployment', 'ref');
  const sha = fullSha(valueAt(job.event, 'deployment', 'sha')) ?? fullSha(job.sha);
  const meaning = `the commit deployed${environment === undefined ? '' : ` to ${environment}`}`;
  if (job.ref !== undefined) return toEventCommit(job, sha, meaning, refBranch(job));
  // Without GITHUB_REF, the deployment is for a bare commit, or for a name that may be a branch or a tag.
  const name = branchName(ref);
  return toEventCommit(job, sha, meaning, { likely: [name, defaultBranch(job)], fallback: name });
}

function checkSuite(job: Job): EventCommit | Problem {
  return toEventCommit(job, fullSha(valueAt(job.event, 'check_suite', 'head_sha')), 'the commit of the check suite', {
    named: textAt(job.event, 'check_suite', 'head_branch'),
  });
}

function checkRun(job: Job): EventCommit | Problem {
  return toEventCommit(job, fullSha(valueAt(job.event, 'check_run', 'head_sha')), 'the commit of the check run', {
    named: textAt(job.event, 'check_run', 'check_suite', 'head_branch'),
  });
}

/** GitHub lists the branches that have the commit as their head. */
function statusReported(job: Job): EventCommit | Problem {
  const branches = listAt(job.event, 'branches').map((branch) => textAt(branch, 'name'));
  const preferred = defaultBranch(job);
  return toEventCommit(job, fullSha(valueAt(job.event, 'sha')), 'the commit of the status', {
    named: branches.includes(preferred) ? preferred : branches.find((name) => name !== undefined),
    likely: [preferred],
  });
}

/** The branch of a run on `GITHUB_REF`. A tag has no branch, so git is asked; the tag is the last resort. */
function refBranch(job: Job): BranchHint {
  if (job.refType !== 'tag') return { named: job.refName };
  return { likely: [defaultBranch(job)], fallback: job.refName };
}

function defaultBranch(job: Job): string | undefined {
  return textAt(job.event, 'repository', 'default_branch');
}

function toEventCommit(job: Job, sha: string | undefined, meaning: string, branch: BranchHint): EventCommit | Problem {
  if (sha !== undefined) return { kind: 'commit', sha, meaning, branch };
  return {
    what: `The SHA of ${meaning} is unknown: neither the event file nor the variables of the event ${job.eventName ?? '(none)'} contain it.`,
    remedy:
      'Set `commit-sha`, or make the event file that GITHUB_EVENT_PATH names available to the step (in a container, mount it).',
  };
}
