/** What a figure must reach, and what it should reach. */
export interface Target {
  readonly better: 'lower' | 'higher';
  readonly mustReach: number;
  /** The better figure to aim for; the same as `mustReach` if there is none. */
  readonly aimFor: number;
}

/** Which of the two limits a figure reaches. */
export type Reached = 'aim' | 'must' | 'no';

/** Compares a figure with its target, which has the same unit. A figure equal to a limit reaches it. */
export function judge(value: number, { better, mustReach, aimFor }: Target): Reached {
  const reaches = (limit: number): boolean => (better === 'lower' ? value <= limit : value >= limit);
  if (reaches(aimFor)) return 'aim';
  return reaches(mustReach) ? 'must' : 'no';
}
