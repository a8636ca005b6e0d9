import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../support/failures.ts';
import { always, performOperation } from '../support/perform-operation.ts';

describe('set-default-org', () => {
  it('sets it without a body, and says what it is now', async () => {
    const { result, requests } = await performOperation(
      'set-default-org',
      {},
      always(200, { default_org_name: 'acme' }),
    );
    expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([['PUT', '/user/acme', '']]);
    expect(result).toMatchObject({
      outcome: 'done',
      state: 'acme',
      conclusion: "The default organization of the API key's user is now acme.",
      response: { default_org_name: 'acme' },
    });
  });

  it('shows that the user is not a member', async () => {
    const failure = await failureOf(
      performOperation('set-default-org', {}, always(403, { message: 'Access denied to acme' })),
    );
    expect(failure.message).toContain('403: Access denied to acme');
  });
});
