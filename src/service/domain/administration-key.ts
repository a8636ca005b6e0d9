/** The fewest characters of an administration key: 128 bits, if they are random hexadecimal digits. */
const minimumLength = 32;
/** A key of random hexadecimal digits has fewer different ones once in millions of times. */
const minimumVariety = 8;

/**
 * What makes an administration key too weak, in words; undefined if it is strong enough. It is all that protects every
 * organization, and operators choose it themselves.
 */
export function findWeakness(key: string): string | undefined {
  if (!/^[!-~]*$/.test(key)) return 'must have only printable ASCII characters, without spaces';
  if (key.length < minimumLength) return `has ${key.length} characters and needs ${minimumLength} or more`;
  const variety = new Set(key).size;
  if (variety < minimumVariety) return `has ${variety} different characters and needs ${minimumVariety} or more`;
  return undefined;
}
