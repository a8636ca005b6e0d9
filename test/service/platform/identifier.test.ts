import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conforms } from '../../../src/contract/check.ts';
import { attestationId } from '../../../src/contract/names.ts';
import { newIdentifier } from '../../../src/service/platform/identifier.ts';

describe('a new identifier', () => {
  it('has the format of the interface and contains the second and every random bit', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 10, maxLength: 10 }),
        fc.integer({ min: 0, max: 2 ** 32 * 1000 - 1 }),
        (random, time) => {
          const id = newIdentifier({ now: () => time, randomBytes: () => Buffer.from(random) });
          expect(conforms(attestationId, id)).toBe(true);
          const [second = '', ...rest] = id.split('-');
          expect(Number.parseInt(second, 16)).toBe(Math.floor(time / 1000));
          expect(rest.join('')).toBe(Buffer.from(random).toString('hex'));
        },
      ),
    );
  });

  it('is still valid when the second exceeds 32 bits', () => {
    const id = newIdentifier({ now: () => (2 ** 32 + 5) * 1000, randomBytes: (size) => Buffer.alloc(size) });
    expect(id).toBe('00000005-0000-0000-0000-00000000');
  });
});
