import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AttestationTally } from '../../src/operations/attestation-tally.ts';

describe('AttestationTally', () => {
  it('counts the same however the list is cut into pages, and passes only what is compliant throughout', () => {
    const verdict = fc.constantFrom(true, false, null, undefined);
    fc.assert(
      fc.property(fc.array(fc.array(verdict, { maxLength: 5 }), { maxLength: 8 }), (pages) => {
        const attestations = (
          page: (typeof pages)[number],
        ): { attestation_id: string; is_compliant?: boolean | null }[] =>
          page.map((is_compliant) => ({
            attestation_id: 'x',
            ...(is_compliant === undefined ? {} : { is_compliant }),
          }));
        const [paged, whole] = [new AttestationTally(), new AttestationTally()];
        for (const page of pages) paged.add(attestations(page));
        whole.add(attestations(pages.flat()));
        expect([paged.count, paged.verdict, paged.words]).toEqual([whole.count, whole.verdict, whole.words]);
        const all = pages.flat();
        expect(whole.count).toBe(all.length);
        expect(whole.verdict === 'compliant').toBe(all.length > 0 && all.every((one) => one === true));
        expect(whole.verdict === 'non-compliant').toBe(all.includes(false));
      }),
    );
  });

  it('calls an attestation without a name by its id', () => {
    const tally = new AttestationTally();
    tally.add([{ attestation_id: 'id-1', is_compliant: false }]);
    expect(tally.notCompliantNames).toBe('id-1');
  });
});
