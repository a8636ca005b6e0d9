import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/client/service-error.ts';
import { failureOf } from '../support/failures.ts';
import { always, factsOf, performed } from '../support/performed.ts';

const inputs = { environment: 'prod', policy: 'provenance\nscans\nprovenance' };

describe.each([
  ['attach-policy', 'POST', 201, 'attached', 'attached to', 'Attached'],
  ['detach-policy', 'DELETE', 200, 'detached', 'detached from', 'Detached'],
] as const)('%s', (operation, method, status, state, words, label) => {
  it('sends all policies in one request, each once', async () => {
    const { result, requests } = await performed(operation, inputs, always(status, 'OK'));
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method, path: '/environments/acme/prod/policies' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ policy_names: ['provenance', 'scans'] });
    expect(result).toMatchObject({
      outcome: 'done',
      state,
      conclusion: `Policies provenance, scans were ${words} environment prod in organization acme; the service judges it anew.`,
    });
    expect(factsOf(result)).toEqual({ Organization: 'acme', Environment: 'prod', [label]: 'provenance, scans' });
  });

  it('speaks of one policy where there is one', async () => {
    const { result } = await performed(operation, { ...inputs, policy: 'scans' }, always(status, 'OK'));
    expect(result.conclusion).toMatch(/^Policy scans was /u);
  });

  it.each([
    [403, 'User does not have permission to detach policy'],
    [404, 'Environment or policy not found'],
  ])('shows what the service refuses with %d', async (refused, message) => {
    const failure = await failureOf(performed(operation, inputs, always(refused, { message })));
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure.message).toContain(`was answered ${refused}: ${message}`);
  });
});
