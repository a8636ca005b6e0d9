import { describe, expect, it } from '@jest/globals';
import { TransportError } from '../../src/http/transport.ts';
import { failureOf } from '../support/failures.ts';
import { always, answersInTurn, performOperation, reportFacts, reportTables } from '../support/perform-operation.ts';

const account = {
  name: 'deployer',
  display_name: 'Deployer',
  privilege: 'admin',
  description: 'Deploys',
  creating_user_id: 'ann',
  created_at: 1_767_323_045.5,
};
const inputs = { 'service-account': 'deployer' };

describe('list-service-accounts', () => {
  it('lists all of them with their privileges', async () => {
    const accounts = [account, { name: 'bare' }];
    const { result, sent } = await performOperation('list-service-accounts', {}, always(200, accounts));
    expect(sent).toEqual(['GET /service-accounts/acme']);
    expect(result).toMatchObject({
      outcome: 'done',
      count: 2,
      response: accounts,
      conclusion: 'Organization acme has 2 service accounts, 1 of them with admin privilege.',
    });
    expect(reportTables(result)).toEqual({
      'Service accounts (2)': [
        ['deployer', 'Deployer', 'admin', 'Deploys', '2026-01-02T03:04:05Z', 'ann'],
        ['bare', '', '', '', '', ''],
      ],
    });
  });

  it('says if there are none', async () => {
    const { result } = await performOperation('list-service-accounts', {}, always(200, []));
    expect(result).toMatchObject({ count: 0, report: { tables: [] } });
    expect(result.conclusion).toContain('has 0 service accounts');
  });
});

describe('get-service-account', () => {
  it('shows its details', async () => {
    const { result, sent } = await performOperation(
      'get-service-account',
      inputs,
      always(200, { ...account, for_webhook: false }),
    );
    expect(sent).toEqual(['GET /service-accounts/acme/deployer']);
    expect(result.conclusion).toBe(
      'Service account deployer has the privilege admin and belongs to organization acme.',
    );
    expect(reportFacts(result)).toEqual({
      Organization: 'acme',
      Name: 'deployer',
      'Display name': 'Deployer',
      Privilege: 'admin',
      Description: 'Deploys',
      Created: '2026-01-02T03:04:05Z',
      'Created by': 'ann',
      'For webhooks': 'no',
    });
  });

  it('leaves out what the service leaves out', async () => {
    const { result } = await performOperation('get-service-account', inputs, always(200, { name: 'deployer' }));
    expect(reportFacts(result)).toEqual({ Organization: 'acme', Name: 'deployer' });
    expect(result.conclusion).toBe('Service account deployer belongs to organization acme.');
  });
});

describe('delete-service-account', () => {
  it('deletes it', async () => {
    const { result, requests } = await performOperation('delete-service-account', inputs, always(200, 'OK'));
    expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['DELETE', '/service-accounts/acme/deployer', ''],
    ]);
    expect(result).toMatchObject({ outcome: 'done', state: 'deleted', response: 'OK' });
  });

  const reset = new TransportError('interrupted', true, 'read ECONNRESET');
  const gone = { status: 404, body: { message: 'Service account not found' } };

  it.each([
    ['a reset', reset],
    ['a bad gateway', { status: 502, body: {} }],
  ])('is done if the account is missing after %s, and does not say who deleted it', async (_what, first) => {
    const { result, requests } = await performOperation('delete-service-account', inputs, answersInTurn(first, gone));
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({
      outcome: 'done',
      response: gone.body,
      conclusion:
        'Organization acme has no service account deployer: an attempt to delete it got no clear answer, and the next one returned "Service account not found".',
    });
    expect(result.state).toBeUndefined();
    expect(reportFacts(result)).toEqual({ Organization: 'acme', Name: 'deployer (no longer exists)' });
  });

  it('fails if the account is missing on the first attempt, or the first never left', async () => {
    const refused = new TransportError('unreachable', false, 'connect ECONNREFUSED');
    for (const answers of [answersInTurn(gone), answersInTurn(refused, gone)]) {
      const failure = await failureOf(performOperation('delete-service-account', inputs, answers));
      expect(failure.message).toContain('404: Service account not found');
    }
  });
});

describe.each(['get-service-account', 'delete-service-account'])('%s', (operation) => {
  it.each([
    [403, "You don't have permission to access this resource"],
    [404, 'Service account not found'],
  ])('shows what the service refuses with %d', async (status, message) => {
    const failure = await failureOf(performOperation(operation, inputs, always(status, { message })));
    expect(failure.message).toContain(`returned ${status}: ${message}`);
  });
});
