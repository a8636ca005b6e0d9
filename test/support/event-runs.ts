import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import type { Mapping } from '../../src/runtime/untrusted-data.ts';
import * as events from './events.ts';

const { shas } = events;

/** A workflow run that an event starts, and the commit that it is about. */
export interface EventRun {
  readonly title: string;
  readonly eventName: string;
  /** The payload, in the shape that GitHub's webhook documentation gives it. */
  readonly event: Mapping;
  /** The variables that GitHub sets for the event (GitHub's documentation, "Events that trigger workflows"). */
  readonly variables: EnvironmentVariables;
  /** What the event says about the commit. */
  readonly judged: Mapping;
}

/** The variables of a run on a ref. */
export function onRef(ref: string, sha: string = shas.head): EnvironmentVariables {
  const type = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  return {
    GITHUB_SHA: sha,
    GITHUB_REF: ref,
    GITHUB_REF_NAME: ref.replace(/^refs\/\w+\//u, ''),
    GITHUB_REF_TYPE: type,
    GITHUB_HEAD_REF: '',
    GITHUB_BASE_REF: '',
  };
}

/** The variables of a run on the newest commit of the default branch. */
export const onDefault: EnvironmentVariables = onRef('refs/heads/main', shas.base);
const onTag = onRef('refs/tags/v1');
const onFeature = onRef('refs/heads/feature/a');
const onMerge = onRef('refs/pull/12/merge', shas.merge);
const ofPullRequest = { GITHUB_HEAD_REF: 'feature/lid', GITHUB_BASE_REF: 'main' };
const queueBranch = `gh-readonly-queue/main/pr-12-${shas.base}`;

/** A run for every event that the action has a rule for, and for some others. */
export const eventRuns: readonly EventRun[] = [
  {
    title: 'a push to a branch',
    eventName: 'push',
    event: events.pushEvent({ ref: 'refs/heads/feature/a' }),
    variables: onFeature,
    judged: { sha: shas.head, meaning: 'the commit pushed to feature/a', branch: { named: 'feature/a' } },
  },
  {
    title: 'a push of an annotated tag (the commit, not the tag object)',
    eventName: 'push',
    event: events.tagPushEvent(),
    variables: { ...onTag, GITHUB_SHA: shas.tagObject },
    judged: { sha: shas.head, branch: { likely: ['main'], fallback: 'v1' } },
  },
  {
    title: 'a push of a tag that GitHub found on a branch',
    eventName: 'push',
    event: events.tagPushEvent({ base_ref: 'refs/heads/release/1' }),
    variables: onTag,
    judged: { sha: shas.head, branch: { named: 'release/1' } },
  },
  {
    title: 'a new tag',
    eventName: 'create',
    event: events.createTagEvent(),
    variables: onTag,
    judged: { sha: shas.head, branch: { likely: ['main'], fallback: 'v1' } },
  },
  {
    title: 'a pull request (the head, not the merge commit)',
    eventName: 'pull_request',
    event: events.pullRequestEvent(),
    variables: { ...onMerge, ...ofPullRequest },
    judged: { sha: shas.head, meaning: 'the head of pull request 12', branch: { named: 'feature/lid' } },
  },
  {
    title: 'a pull request from a fork',
    eventName: 'pull_request',
    event: events.pullRequestEvent({ fork: true }),
    variables: { ...onMerge, ...ofPullRequest },
    judged: { sha: shas.head, branch: { named: 'forker:feature/lid' } },
  },
  {
    title: 'a pull request seen from its target (the head, not the base)',
    eventName: 'pull_request_target',
    event: events.pullRequestEvent({ fork: true, action: 'opened' }),
    variables: { ...onDefault, ...ofPullRequest },
    judged: { sha: shas.head, branch: { named: 'forker:feature/lid' } },
  },
  {
    title: 'a review (no GITHUB_HEAD_REF)',
    eventName: 'pull_request_review',
    event: events.pullRequestReviewEvent(),
    variables: onMerge,
    judged: { sha: shas.head, branch: { named: 'feature/lid' } },
  },
  {
    title: 'a merge group',
    eventName: 'merge_group',
    event: events.mergeGroupEvent(),
    variables: onRef(`refs/heads/${queueBranch}`),
    judged: {
      sha: shas.head,
      meaning: 'the head of the merge group for main',
      branch: { named: queueBranch },
    },
  },
  {
    title: "a finished workflow run (its commit, not the default branch's)",
    eventName: 'workflow_run',
    event: events.workflowRunEvent(),
    variables: onDefault,
    judged: {
      sha: shas.head,
      meaning: 'the commit of the finished workflow run "Build"',
      branch: { named: 'feature/lid' },
    },
  },
  {
    title: 'a finished workflow run of a fork',
    eventName: 'workflow_run',
    event: events.forkWorkflowRunEvent(),
    variables: onDefault,
    judged: { sha: shas.head, branch: { named: 'forker:feature/lid' } },
  },
  {
    title: 'a release',
    eventName: 'release',
    event: events.releaseEvent(),
    variables: onTag,
    judged: {
      sha: shas.head,
      meaning: 'the commit of the release v1',
      branch: { likely: ['main', 'main'], fallback: 'v1' },
    },
  },
  {
    title: 'a release of a bare commit',
    eventName: 'release',
    event: events.releaseEvent({ target_commitish: shas.head }),
    variables: onTag,
    judged: { sha: shas.head, branch: { likely: [undefined, 'main'], fallback: 'v1' } },
  },
  {
    title: 'a schedule',
    eventName: 'schedule',
    event: events.scheduleEvent(),
    variables: onDefault,
    judged: { sha: shas.base, branch: { named: 'main' } },
  },
  {
    title: 'a run started by hand on a branch',
    eventName: 'workflow_dispatch',
    event: events.workflowDispatchEvent(),
    variables: onFeature,
    judged: {
      sha: shas.head,
      meaning: 'the commit of the event workflow_dispatch on feature/a',
      branch: { named: 'feature/a' },
    },
  },
  {
    title: 'a run started by hand on a tag',
    eventName: 'workflow_dispatch',
    event: events.workflowDispatchEvent('refs/tags/v1'),
    variables: onTag,
    judged: { sha: shas.head, branch: { likely: ['main'], fallback: 'v1' } },
  },
  {
    title: 'a run started by another system',
    eventName: 'repository_dispatch',
    event: events.repositoryDispatchEvent(),
    variables: onDefault,
    judged: { sha: shas.base, branch: { named: 'main' } },
  },
  {
    title: 'a comment on a pull request (its head, which the event does not hold)',
    eventName: 'issue_comment',
    event: events.issueCommentEvent('pull request'),
    variables: onDefault,
    judged: { kind: 'pull-request', number: 12, branch: {} },
  },
  {
    title: 'a comment on an issue',
    eventName: 'issue_comment',
    event: events.issueCommentEvent('issue'),
    variables: onDefault,
    judged: { kind: 'commit', sha: shas.base, branch: { named: 'main' } },
  },
  {
    title: 'a deployment of a branch',
    eventName: 'deployment',
    event: events.deploymentEvent('feature/a'),
    variables: onFeature,
    judged: { sha: shas.head, meaning: 'the commit deployed to production', branch: { named: 'feature/a' } },
  },
  {
    title: 'the status of a deployment of a bare commit',
    eventName: 'deployment_status',
    event: events.deploymentStatusEvent(shas.head),
    variables: { GITHUB_SHA: shas.head, GITHUB_REF: '', GITHUB_REF_NAME: '', GITHUB_REF_TYPE: '' },
    judged: { sha: shas.head, branch: { likely: [undefined, 'main'], fallback: undefined } },
  },
  {
    title: 'the status of a deployment of a name, without GITHUB_REF',
    eventName: 'deployment_status',
    event: events.deploymentStatusEvent('main'),
    variables: { GITHUB_SHA: shas.head, GITHUB_REF: '', GITHUB_REF_NAME: '', GITHUB_REF_TYPE: 'branch' },
    judged: { sha: shas.head, branch: { likely: ['main', 'main'], fallback: 'main' } },
  },
  {
    title: 'a check suite',
    eventName: 'check_suite',
    event: events.checkSuiteEvent(),
    variables: onDefault,
    judged: { sha: shas.head, branch: { named: 'feature/lid' } },
  },
  {
    title: 'a check run without a branch',
    eventName: 'check_run',
    event: events.checkRunEvent(),
    variables: onDefault,
    judged: { sha: shas.head, branch: {} },
  },
  {
    title: 'a commit status',
    eventName: 'status',
    event: events.statusEvent(['a', 'main']),
    variables: onDefault,
    judged: { sha: shas.head, branch: { named: 'main' } },
  },
  {
    title: 'a commit status elsewhere',
    eventName: 'status',
    event: events.statusEvent(['a']),
    variables: onDefault,
    judged: { sha: shas.head, branch: { named: 'a' } },
  },
  {
    title: 'an event of tomorrow',
    eventName: 'moon_landing',
    event: {},
    variables: onDefault,
    judged: { sha: shas.base, branch: { named: 'main' } },
  },
];
