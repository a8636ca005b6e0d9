import { defaultKeyDays, maximumKeyDays } from '../../contract/api-key.ts';
import type { StoredKey } from './account.ts';

const secondsPerDay = 86_400;

/** How long before its end a key is shown to expire soon, and a warning is logged, in seconds. */
export const expiryWarningPeriod = 30 * secondsPerDay;

/** When a key that is created now expires if nothing else is asked for, in whole Unix seconds. */
export function toDefaultExpiry(createdAt: number): number {
  return Math.floor(createdAt) + defaultKeyDays * secondsPerDay;
}

/** The latest time at which a key that is created now may expire, in whole Unix seconds. */
export function toLatestExpiry(createdAt: number): number {
  return Math.floor(createdAt) + maximumKeyDays * secondsPerDay;
}

/** When the successor of a key expires: it gets the lifetime that the key was created with, but not more than any may. */
export function toSuccessorExpiry(
  previous: Pick<StoredKey, 'createdAt' | 'expiresAt' | 'originalExpiresAt'>,
  createdAt: number,
): number {
  const { originalExpiresAt = previous.expiresAt } = previous;
  return Math.min(createdAt + originalExpiresAt - previous.createdAt, toLatestExpiry(createdAt));
}

/** Formats a time in Unix seconds for messages: `2027-11-23T10:15:00Z`. */
export function renderExpiry(time: number): string {
  return new Date(time * 1000).toISOString().replace(/\.\d+Z$/u, 'Z');
}
