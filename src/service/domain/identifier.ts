import { unixSeconds, type Now } from '../../runtime/clock.ts';
import type { RandomBytes } from '../../runtime/random.ts';

const groups = [8, 4, 4, 4, 8] as const;

/**
 * A new id of an artifact or attestation: lowercase hex digits in groups of 8-4-4-4-8 (interface, operation 10). The first
 * group is the time in Unix seconds, so that new ids stand next to each other in an index: random ones touch another page of
 * it each, and with a million of them every write is half as large again. The others are 80 random bits, so that two ids
 * of one second never meet.
 */
export function newIdentifier({ now, randomBytes }: { readonly now: Now; readonly randomBytes: RandomBytes }): string {
  const time = Buffer.alloc(4);
  // 32 bits last until 2106, and begin again then.
  time.writeUInt32BE(Math.floor(unixSeconds(now())) % 2 ** 32);
  const digits = time.toString('hex') + randomBytes(10).toString('hex');
  let start = 0;
  return groups.map((length) => digits.slice(start, (start += length))).join('-');
}
