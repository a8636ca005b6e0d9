import { isoSeconds } from '../../contract/snapshot-expression.ts';
import type { Input } from './input.ts';

// Up to the year 9999: what is larger was meant in milliseconds.
const lastSecond = 253_402_300_799;

/** A time: Unix seconds, or ISO 8601, UTC where it names no zone. Its value is in Unix seconds. */
export function moment(name: string): Input<number> {
  return {
    name,
    secret: false,
    parse(text) {
      const value = /^\d{1,15}$/u.test(text) ? Number(text) : isoSeconds(text);
      if (value !== undefined && value >= 0 && value <= lastSecond) return { value };
      return {
        problem: 'must be a time, in Unix seconds or in ISO 8601',
        remedy: 'Write for example 2026-10-02, 2026-10-02T12:00:00Z or 1790942400; milliseconds are not taken.',
      };
    },
  };
}
