import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any Unicode character, as the `unit` of `fc.string`. It generates the same strings as the unit `'binary'`, which needs
 * almost a second in every test file to list all 1.1 million characters.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count), indexOf);

/** @throws TypeError if it is not one character, so that fast-check knows that this arbitrary does not generate it */
function indexOf(character: unknown): number {
  if (typeof character !== 'string' || !/^[^\p{Cs}]$/u.test(character)) throw new TypeError('not a character');
  const code = character.codePointAt(0) ?? 0;
  return code < surrogates.first ? code : code - surrogates.count;
}
