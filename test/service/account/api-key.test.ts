import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  formatApiKey,
  hashSecret,
  newApiKey,
  parseApiKey,
  secretMatches,
} from '../../../src/service/account/api-key.ts';

const bytes = fc.uint8Array({ minLength: 40, maxLength: 40 }).map((array) => Buffer.from(array));

describe('an API key', () => {
  it('is parsed as it was created, whatever the random bytes', () => {
    fc.assert(
      fc.property(bytes, (random) => {
        let taken = 0;
        const key = newApiKey((size) => random.subarray(taken, (taken += size)));
        expect(parseApiKey(formatApiKey(key))).toEqual(key);
      }),
    );
  });

  it('has a prefix for secret scanners, and works without it, as older keys do', () => {
    const key = { id: '0123456789abcdef', secret: 'x'.repeat(43) };
    expect(formatApiKey(key)).toMatch(/^compkey-[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/u);
    expect(parseApiKey(`0123456789abcdef_${'x'.repeat(43)}`)).toEqual(key);
    expect(parseApiKey(`other-0123456789abcdef_${'x'.repeat(43)}`)).toBeUndefined();
  });

  it('is separated at its first underscore, because the secret may hold more', () => {
    expect(parseApiKey(`abcd_${'x'.repeat(31)}_y`)).toEqual({ id: 'abcd', secret: `${'x'.repeat(31)}_y` });
  });

  it.each(['', 'abcd', 'abcd_', `_${'x'.repeat(40)}`, `abcd_${'x'.repeat(31)}`, `ab cd_${'x'.repeat(40)}`, 'a_b\0'])(
    'is not %j',
    (text) => {
      expect(parseApiKey(text)).toBeUndefined();
    },
  );

  it('is proven by its secret and by nothing else', () => {
    const hash = hashSecret('the secret');
    expect(secretMatches('the secret', hash)).toBe(true);
    expect(secretMatches('the secreT', hash)).toBe(false);
    expect(secretMatches('the secret', hash.subarray(1))).toBe(false);
  });

  it('is stored as a hash that does not hold the secret', () => {
    expect(Buffer.from(hashSecret('the secret')).toString('latin1')).not.toContain('secret');
  });
});
