/** Minimum length in characters: 128 bits if they are random hexadecimal digits. */
const minimumLength = 32;
/** Minimum of different characters. Of random hexadecimal keys of minimum length, one in millions has fewer. */
const minimumVariety = 8;

/**
 * Why an administration key is too weak; undefined if it is strong enough. The key protects all organizations, and
 * operators choose it themselves.
 */
export function findWeakness(key: string): string | undefined {
  if (!/^[!-~]*$/.test(key)) return 'must have only printable ASCII characters, without spaces';
  if (key.length < minimumLength) return `has ${key.length} characters and needs ${minimumLength} or more`;
  const variety = new Set(key).size;
  if (variety < minimumVariety) return `has ${variety} different characters and needs ${minimumVariety} or more`;
  return undefined;
}
