import type { RandomBytes } from './sources.ts';

const groups = [8, 4, 4, 4, 8] as const;

/**
 * A new id of an artifact or attestation: lowercase hex digits in groups of 8-4-4-4-8 (interface, operation 10). 112 random
 * bits, so that two of them never meet.
 */
export function newIdentifier(randomBytes: RandomBytes): string {
  const digits = randomBytes(14).toString('hex');
  let start = 0;
  return groups.map((length) => digits.slice(start, (start += length))).join('-');
}
