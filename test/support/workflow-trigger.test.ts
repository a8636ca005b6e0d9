import { describe, expect, it } from '@jest/globals';
import type { Mapping } from '../../src/runtime/untrusted-data.ts';
import { eventRuns } from './event-runs.ts';
import { isTriggeredBy, type TriggeringEvent } from './workflow-trigger.ts';

function run(title: string, changes: Partial<TriggeringEvent> = {}): TriggeringEvent {
  const found = eventRuns.find((known) => known.title === title);
  if (found === undefined) throw new Error(`there is no run "${title}"`);
  return { ...found, ...changes };
}

const push = run('a push to a branch');
const tag = run('a push of a tag that GitHub found on a branch');
const pullRequest = run('a pull request (the head, not the merge commit)');
const dispatched = (inputs: Mapping): TriggeringEvent =>
  run('a run started by hand on a branch', { event: { inputs } });
const release = run('a release');
const choice = { workflow_dispatch: { inputs: { to: { type: 'choice', options: ['a'], required: true } } } };

describe('an event starts a workflow', () => {
  it.each<readonly [string, unknown, TriggeringEvent]>([
    ['named alone', 'push', push],
    ['named in a list', ['pull_request', 'push'], push],
    ['without filters', { push: null }, tag],
    ['by its branch', { push: { branches: ['feature/*'] } }, push],
    ['by its branch, however deep', { push: { branches: ['**'] } }, push],
    ['by its tag', { push: { tags: ['v*'] } }, tag],
    ['by its tag, beside branches', { push: { branches: ['main'], tags: ['v[0-9]+'] } }, tag],
    ['by the base of the pull request', { pull_request: { branches: ['main'] } }, pullRequest],
    ['by its type', { release: { types: ['published'] } }, release],
    ['by a changed file', { push: { paths: ['**.md', '!docs/**'] } }, push],
    [
      'by a file that is not ignored',
      { pull_request: { 'paths-ignore': ['docs/**'] } },
      { ...pullRequest, changedFiles: ['docs/a', 'src/b'] },
    ],
    ['with the inputs that it needs', choice, dispatched({ to: 'a' })],
    ['by its time', { schedule: [{ cron: '0 4 * * *' }] }, run('a schedule')],
    [
      'of the named workflow',
      { workflow_run: { workflows: ['Build'], types: ['completed'] } },
      run('a finished workflow run of a fork'),
    ],
  ])('%s', (_how, on, event) => {
    expect(isTriggeredBy(on, event)).toBe(true);
  });
});

describe('an event does not start a workflow', () => {
  it.each<readonly [string, unknown, TriggeringEvent]>([
    ['of another event', 'pull_request', push],
    ['of other branches', { push: { branches: ['main'] } }, push],
    ['of ignored branches', { push: { 'branches-ignore': ['feature/**'] } }, push],
    ['of branches only, as a tag', { push: { branches: ['**'] } }, tag],
    ['of tags only, as a branch', { push: { tags: ['**'] } }, push],
    ['of other types', { release: { types: ['created'] } }, release],
    ['of pull requests, by a label', 'pull_request', { ...pullRequest, event: { action: 'labeled' } }],
    ['of other paths', { push: { paths: ['src/**'] } }, push],
    ['without an input that is required', choice, dispatched({})],
    ['with an input that cannot be chosen', choice, dispatched({ to: 'b' })],
    ['of another time', { schedule: [{ cron: '0 5 * * *' }] }, run('a schedule')],
    ['that only others call', { workflow_call: {} }, push],
  ])('%s', (_how, on, event) => {
    expect(isTriggeredBy(on, event)).toBe(false);
  });
});

describe('an unsupported filter', () => {
  it('throws, so that no workflow passes unchecked', () => {
    expect(() => isTriggeredBy({ push: { authors: ['ann'] } }, push)).toThrow(/authors/u);
  });
});
