/** What a figure must reach, and what it aims for. */
export interface Target {
  readonly better: 'lower' | 'higher';
  readonly mustReach: number;
  /** As far as one would go; the same as `mustReach` where nothing further is asked for. */
  readonly aimFor: number;
}

/** How far a figure came. */
export type Reached = 'aim' | 'must' | 'no';

/** Compares a figure, in the target's own unit, with its target. Exactly the target is reached. */
export function judge(value: number, { better, mustReach, aimFor }: Target): Reached {
  const reaches = (limit: number): boolean => (better === 'lower' ? value <= limit : value >= limit);
  if (reaches(aimFor)) return 'aim';
  return reaches(mustReach) ? 'must' : 'no';
}
