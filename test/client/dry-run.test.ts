import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NotSent, unsentRequest } from '../../src/client/dry-run.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { createPolicy } from '../../src/contract/policy.ts';
import { listServiceAccounts } from '../../src/contract/service-account.ts';
import { authorization } from '../../src/http/authorization.ts';
import type { HttpRequest } from '../../src/http/transport.ts';

function requestWith(key: string): HttpRequest {
  return {
    method: 'PUT',
    url: new URL('https://compliance.example.com/api/v2/policies/acme'),
    headers: { accept: 'application/json', authorization: authorization('bearer', key) },
    body: { contentType: 'text/plain', length: 3, open: () => 'abc' },
  };
}

describe('unsentRequest', () => {
  it('keeps the way to authenticate and drops the key', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{12,40}$/u), fc.constantFrom('bearer', 'basic'), (key, method) => {
        const request = { ...requestWith(key), headers: { authorization: authorization(method, key) } };
        const { headers } = unsentRequest(createFlow, request, { document: {}, filePartStyle: 'indexed' });
        expect(headers['authorization']).toBe(method === 'bearer' ? 'Bearer ***' : 'Basic ***');
      }),
    );
  });

  it('describes the body that is declared: none, one document, or parts', () => {
    const file = { filename: 'p.yml', size: 7, open: (): never => neverOpened() };
    const carried = { document: { name: 'x' }, file, filePartStyle: 'indexed' } as const;
    const request = requestWith('key');
    expect(unsentRequest(listServiceAccounts, request, carried)).not.toHaveProperty('json');
    expect(unsentRequest(createFlow, request, carried)).toMatchObject({ json: { document: { name: 'x' } } });
    expect(unsentRequest(createPolicy, request, carried)).toMatchObject({
      headers: { 'content-type': 'text/plain', 'content-length': '3' },
      json: { part: 'payload', document: { name: 'x' } },
      file: { part: 'policy_file.0', filename: 'p.yml', size: 7 },
    });
  });

  it('says in an error what was not sent', () => {
    const unsent = unsentRequest(createPolicy, requestWith('key'), { document: {}, filePartStyle: 'plain' });
    expect(new NotSent(unsent).message).toBe(
      'create-policy: PUT https://compliance.example.com/api/v2/policies/acme was not sent',
    );
  });
});

function neverOpened(): never {
  throw new Error('the file was opened');
}
