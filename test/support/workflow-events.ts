import { isMapping, type Mapping } from '../../src/runtime/untrusted-data.ts';
import { eventRuns, onDefault, onRef } from './event-runs.ts';
import * as events from './events.ts';
import type { TriggeringEvent } from './workflow-trigger.ts';

const { shas } = events;

/** The run of `eventRuns` with this title. */
function known(title: string, changes: Partial<TriggeringEvent> = {}): TriggeringEvent {
  const found = eventRuns.find((run) => run.title === title);
  if (found === undefined) throw new Error(`there is no run "${title}"`);
  return { ...found, ...changes };
}

/** A push to `main` that changes these files. */
export function pushToMain(...modified: readonly string[]): TriggeringEvent {
  const commits = [events.webhookCommit(shas.head, { modified })];
  return { eventName: 'push', event: events.pushEvent({ commits }), variables: onRef('refs/heads/main') };
}

/** A pull request within the repository that changes these files. */
export function pullRequest(...changedFiles: readonly string[]): TriggeringEvent {
  return known('a pull request (the head, not the merge commit)', { changedFiles });
}

export const forkPullRequest: TriggeringEvent = known('a pull request from a fork');

export const dependabotPullRequest: TriggeringEvent = {
  ...pullRequest('package.json'),
  variables: { ...pullRequest().variables, GITHUB_ACTOR: 'dependabot[bot]' },
};

/** A merge group of the merge queue. */
export const mergeGroup: TriggeringEvent = known('a merge group');

/** A run of the workflow `Tests` for a pull request from a fork has completed. */
export function testsOfForkEnded(changes: Mapping = {}): TriggeringEvent {
  const event = events.forkWorkflowRunEvent();
  const run = event['workflow_run'];
  return {
    eventName: 'workflow_run',
    event: {
      ...event,
      workflow_run: { ...(isMapping(run) ? run : {}), name: 'Tests', ...changes },
      workflow: { id: 61, name: 'Tests' },
    },
    variables: onDefault,
  };
}

/** A tag `v1` was pushed to the newest commit of `main`. */
export const tagPush: TriggeringEvent = known('a push of an annotated tag (the commit, not the tag object)');

/** A release was published. */
export const release: TriggeringEvent = known('a release');

/** A run by this cron schedule. */
export function scheduled(schedule: string): TriggeringEvent {
  return { ...known('a schedule'), event: { ...events.scheduleEvent(), schedule } };
}

/** A manual run on `main` with these inputs. */
export function startedByHand(inputs: Readonly<Record<string, string | boolean>> | null = null): TriggeringEvent {
  const ref = 'refs/heads/main';
  return {
    eventName: 'workflow_dispatch',
    event: { ...events.workflowDispatchEvent(ref), inputs },
    variables: { ...onRef(ref), GITHUB_RUN_ID: '4343' },
  };
}
