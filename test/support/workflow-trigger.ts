import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import { isMapping, listAt, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';

/** What decides whether an event starts a workflow. */
export interface TriggeringEvent {
  readonly eventName: string;
  readonly event: Mapping;
  /** The `GITHUB_*` variables that GitHub sets for the event. */
  readonly variables: EnvironmentVariables;
  /** The files that a push or a pull request changes. Payloads of pull requests do not list them. */
  readonly changedFiles?: readonly string[];
}

/** The filters of a workflow for one event; undefined if the workflow does not run on it. */
export function filtersFor(on: unknown, eventName: string): Mapping | undefined {
  if (typeof on === 'string') return on === eventName ? {} : undefined;
  if (Array.isArray(on)) return on.includes(eventName) ? {} : undefined;
  if (!isMapping(on) || !(eventName in on)) return undefined;
  const filters = on[eventName];
  if (Array.isArray(filters)) return { [eventName]: filters };
  return isMapping(filters) ? filters : {};
}

/**
 * Whether this event starts a workflow, by its `on:` (GitHub's documentation, "Workflow syntax", `on`).
 *
 * @throws Error if the workflow has a filter that is not supported here
 */
export function isTriggeredBy(on: unknown, run: TriggeringEvent): boolean {
  const given = filtersFor(on, run.eventName);
  if (given === undefined) return false;
  const filters = { ...defaultFilters[run.eventName], ...given };
  return refFilterApplies(filters, run) && Object.entries(filters).every(([name, value]) => passes(name, value, run));
}

const pullRequestDefaults = { types: ['opened', 'synchronize', 'reopened'] };

/** The default filters of events. */
const defaultFilters: Readonly<Record<string, Mapping>> = {
  pull_request: pullRequestDefaults,
  pull_request_target: pullRequestDefaults,
};

/** With filters for branches only, a tag does not start the workflow, and vice versa. */
function refFilterApplies(filters: Mapping, { eventName, variables }: TriggeringEvent): boolean {
  if (eventName !== 'push') return true;
  const has = (...names: readonly string[]): boolean => names.some((name) => name in filters);
  const [own, other] = [has('branches', 'branches-ignore'), has('tags', 'tags-ignore')];
  return variables['GITHUB_REF_TYPE'] === 'tag' ? other || !own : own || !other;
}

function passes(name: string, value: unknown, run: TriggeringEvent): boolean {
  const filter = filterFunctions[name];
  if (filter === undefined)
    throw new Error(`the filter \`${name}\` of \`${run.eventName}\` is not supported by the tests`);
  return filter(value, run);
}

type FilterFunction = (value: unknown, run: TriggeringEvent) => boolean;

const filterFunctions: Readonly<Record<string, FilterFunction>> = {
  branches: (value, run) => isTagPush(run) || matchesAny(patternsFrom(value), branchOf(run)),
  'branches-ignore': (value, run) => isTagPush(run) || !matchesAny(patternsFrom(value), branchOf(run)),
  tags: (value, run) => !isTagPush(run) || matchesAny(patternsFrom(value), run.variables['GITHUB_REF_NAME'] ?? ''),
  'tags-ignore': (value, run) =>
    !isTagPush(run) || !matchesAny(patternsFrom(value), run.variables['GITHUB_REF_NAME'] ?? ''),
  // GitHub ignores path filters for tags.
  paths: (value, run) => isTagPush(run) || changedFiles(run).some((file) => matchesAny(patternsFrom(value), file)),
  'paths-ignore': (value, run) =>
    isTagPush(run) || changedFiles(run).some((file) => !matchesAny(patternsFrom(value), file)),
  types: (value, { event }) => patternsFrom(value).includes(textAt(event, 'action') ?? ''),
  workflows: (value, { event }) => patternsFrom(value).includes(textAt(event, 'workflow', 'name') ?? ''),
  inputs: (value, { event }) => inputsAreValid(value, valueAt(event, 'inputs')),
  schedule: (value, { event }) =>
    listAt({ value }, 'value').some((one) => textAt(one, 'cron') === textAt(event, 'schedule')),
};

function isTagPush({ eventName, variables }: TriggeringEvent): boolean {
  return eventName === 'push' && variables['GITHUB_REF_TYPE'] === 'tag';
}

/** The branch that filters apply to: the pushed one, the base of a pull request, the head of a completed run. */
function branchOf({ eventName, event, variables }: TriggeringEvent): string {
  if (eventName === 'workflow_run') return textAt(event, 'workflow_run', 'head_branch') ?? '';
  if (eventName === 'merge_group') return (textAt(event, 'merge_group', 'base_ref') ?? '').replace('refs/heads/', '');
  return textAt(event, 'pull_request', 'base', 'ref') ?? variables['GITHUB_REF_NAME'] ?? '';
}

function changedFiles({ event, changedFiles: given }: TriggeringEvent): readonly string[] {
  const commits = listAt(event, 'commits');
  return (
    given ??
    commits.flatMap((commit) => ['added', 'removed', 'modified'].flatMap((kind) => patternsFrom(valueAt(commit, kind))))
  );
}

function inputsAreValid(declared: unknown, given: unknown): boolean {
  if (!isMapping(declared)) return true;
  return Object.entries(declared).every(([name, input]) => {
    const value = valueAt(given, name);
    if (value === undefined) return valueAt(input, 'required') !== true;
    return textAt(input, 'type') !== 'choice' || listAt(input, 'options').includes(value);
  });
}

function patternsFrom(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' ? [value] : [];
}

/** The last pattern that matches decides; one that begins with `!` takes out again. */
function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.reduce((matched, pattern) => {
    const taken = pattern.startsWith('!');
    return regularExpression(taken ? pattern.slice(1) : pattern).test(name) ? !taken : matched;
  }, false);
}

/** GitHub's documentation, "Filter pattern cheat sheet". */
function regularExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*|[*.(){}^$|\\]/gu, (sign) => {
    if (sign === '**') return '.*';
    return sign === '*' ? '[^/]*' : `\\${sign}`;
  });
  return new RegExp(`^${source}$`, 'u');
}
