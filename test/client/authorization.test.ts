import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authorization } from '../../src/client/authorization.ts';

describe('the authorization header', () => {
  it('holds the API key as a bearer token', () => {
    expect(authorization('bearer', 'id_secret')).toBe('Bearer id_secret');
  });

  it('holds the API key as the user name of basic, with the colon and an empty password', () => {
    expect(authorization('basic', 'id_secret')).toBe('Basic aWRfc2VjcmV0Og==');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (key) => {
        const [scheme, credentials = ''] = authorization('basic', key).split(' ');
        expect(scheme).toBe('Basic');
        expect(Buffer.from(credentials, 'base64').toString('utf8')).toBe(`${key}:`);
      }),
    );
  });
});
