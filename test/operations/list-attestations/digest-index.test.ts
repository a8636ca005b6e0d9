import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DigestIndex } from '../../../src/operations/list-attestations/digest-index.ts';

describe('DigestIndex', () => {
  it.each([8, 16] as const)('numbers texts as a map would, with %s bytes of each digest', (bytes) => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('a', 'b', ''))), (texts) => {
        const [index, known] = [new DigestIndex(bytes), new Map<string, number>()];
        for (const text of texts) {
          if (!known.has(text)) known.set(text, known.size);
          expect(index.add(text)).toBe(known.get(text));
          expect(index.size).toBe(known.size);
        }
      }),
    );
  });

  it('keeps its numbers while it grows', () => {
    const index = new DigestIndex(16);
    const texts = Array.from({ length: 5000 }, (_, number) => `trail-${number}`);
    expect(texts.map((text) => index.add(text))).toEqual(texts.map((_, number) => number));
    expect(texts.map((text) => index.add(text))).toEqual(texts.map((_, number) => number));
    expect(index.size).toBe(5000);
  });
});
