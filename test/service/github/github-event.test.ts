import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readGithubEvent } from '../../../src/service/github/github-event.ts';
import { deploymentPayload, githubExamples } from '../../support/github-webhooks.ts';

const valid = [...githubExamples, { name: 'deployment_protection_rule', payload: deploymentPayload }];

/** Payloads of GitHub in which some values are others. */
function changed(value: unknown, depth = 0): fc.Arbitrary<unknown> {
  const other = { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) };
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 3) {
    return fc.oneof({ weight: 8, arbitrary: fc.constant(value) }, other);
  }
  const fields = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one, depth + 1)]));
  return fc.oneof({ weight: 20, arbitrary: fc.record(fields, { requiredKeys: Object.keys(fields).slice(1) }) }, other);
}

/** The few fields of a payload that may be read. */
function reduce(payload: object): object {
  const read = ['action', 'installation', 'repository', 'pull_request', 'merge_group', 'check_suite', 'check_run'];
  const more = ['deployment', 'environment', 'deployment_callback_url'];
  return Object.fromEntries(Object.entries(payload).filter(([key]) => [...read, ...more].includes(key)));
}

describe('the reader of events', () => {
  it('never fails, whatever the payload', () => {
    const payloads = fc
      .constantFrom(...valid)
      .chain(({ name, payload }) => fc.tuple(fc.constant(name), changed(reduce(payload))));
    fc.assert(
      fc.property(payloads, ([name, payload]) => {
        const event = readGithubEvent(name, payload, 29310);
        if (event === undefined) return;
        expect(event.installationId).toBeGreaterThan(0);
        if (event.type === 'commit') expect(event.sha).toMatch(/^[a-f0-9]{40}$/u);
        if (event.type === 'deployment') expect(event.subject.runId).toBeGreaterThan(0);
      }),
    );
  });

  it.each([
    ['of another path', 'https://api.github.com/repos/acme/web/actions/runs/77'],
    ['without a run', 'https://api.github.com/repos/acme/web/actions/runs/../deployment_protection_rule'],
    ['that is no address', '/actions/runs/77/deployment_protection_rule'],
  ])('ignores a deployment with a callback %s', (_case, deployment_callback_url) => {
    const payload = { ...deploymentPayload, deployment_callback_url };
    expect(readGithubEvent('deployment_protection_rule', payload, 1)).toBeUndefined();
  });
});
