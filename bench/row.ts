import { judge, type Reached, type Target } from './target.ts';

/** One row of the bench's table. */
export interface Row {
  readonly what: string;
  /** The measured value with its unit. */
  readonly figure: string;
  /** The reference, measured in the same run. */
  readonly against: string;
  readonly ratio: string;
  readonly mustReach: string;
  readonly aimFor: string;
  /** `-` if there is no target. */
  readonly reached: Reached | '-';
}

/** A row without its target. */
export interface Measured {
  readonly what: string;
  readonly figure: string;
  readonly against?: string;
  readonly ratio?: string;
}

/** A row for information, without a target. */
export function withoutTarget({ what, figure, against = '', ratio = '' }: Measured): Row {
  return { what, figure, against, ratio, mustReach: '', aimFor: '', reached: '-' };
}

/**
 * A row with a target.
 *
 * @param value the value to compare with the target, in the same unit
 * @param format formats a value of that unit
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
