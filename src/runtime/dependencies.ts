import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** What every module takes from outside, passed in so that tests can replace it. */
export interface Dependencies {
  readonly clock: Clock;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly log: Log;
}

/** Environment variables by name; undefined if not set. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;
