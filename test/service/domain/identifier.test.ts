import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conforms } from '../../../src/contract/check.ts';
import { attestationId } from '../../../src/contract/names.ts';
import { newIdentifier } from '../../../src/service/domain/identifier.ts';

describe('a new identifier', () => {
  it('has the form of the interface and holds every random bit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 14, maxLength: 14 }), (random) => {
        const id = newIdentifier(() => Buffer.from(random));
        expect(conforms(attestationId, id)).toBe(true);
        expect(id.replaceAll('-', '')).toBe(Buffer.from(random).toString('hex'));
      }),
    );
  });
});
