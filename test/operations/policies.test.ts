import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/client/service-error.ts';
import { TransportError } from '../../src/http/transport.ts';
import { failureOf } from '../support/failures.ts';
import { always, reportFacts, answersInTurn, performOperation } from '../support/perform-operation.ts';

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
      conclusion: `Policies provenance, scans were ${words} environment prod in organization acme; the service judges the environment again.`,
    });
    expect(reportFacts(result)).toEqual({ Organization: 'acme', Environment: 'prod', [label]: 'provenance, scans' });
  });

  it('uses the singular for one policy', async () => {
    const { result } = await performOperation(operation, { ...inputs, policy: 'scans' }, always(status, 'OK'));
    expect(result.conclusion).toMatch(/^Policy scans was /u);
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
  const noSnapshots = { status: 200, body: [] };

  it('is done if there is nothing to detach, without claiming to have detached it', async () => {
    const { result, requests } = await performOperation(
      'detach-policy',
      one,
      answersInTurn(reset, missing, noSnapshots),
    );
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /environments/acme/prod/policies',
      'DELETE /environments/acme/prod/policies',
      'GET /snapshots/acme/prod?page=1&per_page=1',
    ]);
    expect(result).toMatchObject({ outcome: 'done', response: missing.body });
    expect(result.state).toBeUndefined();
    expect(result.conclusion).toBe(
      'Policy scans is not attached to environment prod in organization acme: an attempt to detach got no clear answer, and the next one returned "Environment or policy not found".',
    );
    expect(reportFacts(result)).toEqual({ Organization: 'acme', Environment: 'prod', 'Not attached': 'scans' });
  });

  it('detaches several one by one, because one that is not attached blocks the others', async () => {
    const ok = { status: 200, body: 'OK' };
    const answers = answersInTurn(reset, missing, noSnapshots, missing, ok);
    const { result, requests } = await performOperation('detach-policy', inputs, answers);
    const bodies = requests.filter(({ method }) => method === 'DELETE').map(({ body }) => body);
    expect(bodies.slice(2)).toEqual(['{"policy_names":["provenance"]}', '{"policy_names":["scans"]}']);
    expect(result).toMatchObject({
      outcome: 'done',
      conclusion: expect.stringMatching(/^Policies provenance, scans are not attached/u),
    });
  });

  it('fails if a policy cannot be detached alone', async () => {
    const forbidden = { status: 403, body: { message: 'User does not have permission to detach policy' } };
    const answers = answersInTurn(reset, missing, noSnapshots, forbidden);
    const failure = await failureOf(performOperation('detach-policy', inputs, answers));
    expect(failure.message).toContain('403: User does not have permission');
  });

  it('fails if there is no such environment', async () => {
    const answers = answersInTurn(reset, missing, { status: 404, body: { message: 'Flow not found' } });
    const failure = await failureOf(performOperation('detach-policy', one, answers));
    expect(failure.message).toContain('404: Environment or policy not found');
  });

  it('is done if the environment cannot be checked', async () => {
    const answers = answersInTurn(reset, missing, { status: 403, body: { message: 'no' } });
    expect((await performOperation('detach-policy', one, answers)).result).toMatchObject({ outcome: 'done' });
  });

  it('keeps the state if the repetition succeeds', async () => {
    const { result } = await performOperation('detach-policy', one, answersInTurn(reset, { status: 200, body: 'OK' }));
    expect(result).toMatchObject({ outcome: 'done', state: 'detached' });
  });
});
