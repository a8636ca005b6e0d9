import { judge, type Reached, type Target } from './target.ts';

/** One line of the bench's table. */
export interface Row {
  readonly what: string;
  /** What was measured, with its unit. */
  readonly figure: string;
  /** What it is compared with, measured in the same run. */
  readonly against: string;
  readonly ratio: string;
  readonly mustReach: string;
  readonly aimFor: string;
  /** `-` where there is no target. */
  readonly reached: Reached | '-';
}

/** What a row says beside its target. */
export interface Measured {
  readonly what: string;
  readonly figure: string;
  readonly against?: string;
  readonly ratio?: string;
}

/** A row that is only told. */
export function withoutTarget({ what, figure, against = '', ratio = '' }: Measured): Row {
  return { what, figure, against, ratio, mustReach: '', aimFor: '', reached: '-' };
}

/**
 * A row that has a target.
 *
 * @param value the figure that counts, in the unit of the target
 * @param format how that unit is written
 */
export function withTarget(measured: Measured, value: number, target: Target, format: (value: number) => string): Row {
  const limit = (bound: number): string => `${target.better === 'lower' ? '≤' : '≥'} ${format(bound)}`;
  return {
    ...withoutTarget(measured),
    mustReach: limit(target.mustReach),
    aimFor: limit(target.aimFor),
    reached: judge(value, target),
  };
}
