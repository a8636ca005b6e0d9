import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/client/service-error.ts';
import { TransportError } from '../../src/http/transport.ts';
import { failureOf } from '../support/failures.ts';
import { always, answersInTurn, performOperation, reportFacts } from '../support/perform-operation.ts';

const reset = new TransportError('interrupted', true, 'read ECONNRESET');
const missing = { status: 404, body: { message: 'Environment or policy not found' } };

const inputs = { environment: 'prod', policy: 'provenance\nscans\nprovenance' };

describe.each([
  ['attach-policy', 'POST', 201, 'attached', 'attached to', 'Attached'],
  ['detach-policy', 'DELETE', 200, 'detached', 'detached from', 'Detached'],
] as const)('%s', (operation, method, status, state, words, label) => {
  it('sends all policies in one request, each once', async () => {
    const { result, requests } = await performOperation(operation, inputs, always(status, 'OK'));
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method, path: '/environments/acme/prod/policies' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ policy_names: ['provenance', 'scans'] });
    expect(result).toMatchObject({
      outcome: 'done',
      state,
      conclusion: `Policies provenance, scans are ${words} environment prod in organization acme.`,
    });
    expect(reportFacts(result)).toEqual({ Organization: 'acme', Environment: 'prod', [label]: 'provenance, scans' });
  });

  it('uses the singular for one policy', async () => {
    const { result } = await performOperation(operation, { ...inputs, policy: 'scans' }, always(status, 'OK'));
    expect(result.conclusion).toMatch(/^Policy scans is /u);
  });

  it.each([
    [403, 'User does not have permission to detach policy'],
    [404, 'Environment or policy not found'],
  ])('shows what the service refuses with %d', async (refused, message) => {
    const failure = await failureOf(performOperation(operation, inputs, always(refused, { message })));
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure.message).toContain(`returned ${refused}: ${message}`);
  });
});

describe('attach-policy after an attempt without an answer', () => {
  it('attaches again, because attaching twice does no harm', async () => {
    const answers = answersInTurn(reset, { status: 201, body: 'OK' });
    const { result, requests } = await performOperation('attach-policy', inputs, answers);
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({ outcome: 'done', state: 'attached' });
  });
});

describe('detach-policy after an attempt without an answer', () => {
  const one = { ...inputs, policy: 'scans' };

  it('fails if the environment or the policy does not exist, which the earlier attempt cannot have caused', async () => {
    const failure = await failureOf(performOperation('detach-policy', one, answersInTurn(reset, missing)));
    expect(failure.message).toContain('404: Environment or policy not found');
  });

  it('keeps the state if the repetition succeeds', async () => {
    const { result } = await performOperation('detach-policy', one, answersInTurn(reset, { status: 200, body: 'OK' }));
    expect(result).toMatchObject({ outcome: 'done', state: 'detached' });
  });
});
