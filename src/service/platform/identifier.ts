import { type Now, unixSeconds } from '../../runtime/clock.ts';
import type { RandomBytes } from '../../runtime/random.ts';

const groups = [8, 4, 4, 4, 8] as const;

/**
 * Creates an id for an artifact or attestation: lowercase hex digits in groups of 8-4-4-4-8 (interface, operation 10).
 * The first group is the time in Unix seconds, so that new ids are adjacent in an index; random ids would each touch a
 * different page, which makes every write half as large again with a million records. The remaining 80 bits are random
 * and prevent collisions within a second.
 */
export function newIdentifier({ now, randomBytes }: { readonly now: Now; readonly randomBytes: RandomBytes }): string {
  const time = Buffer.alloc(4);
  // 32 bits last until 2106, then wrap around.
  time.writeUInt32BE(Math.floor(unixSeconds(now())) % 2 ** 32);
  const digits = time.toString('hex') + randomBytes(10).toString('hex');
  let start = 0;
  return groups.map((length) => digits.slice(start, (start += length))).join('-');
}
