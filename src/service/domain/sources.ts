/** What the service takes from the outside world, passed in so that its rules stay pure and its tests repeatable. */

/** The time of day in milliseconds since the Unix epoch. */
export type Now = () => number;

/** Calls `fire` once after so many milliseconds; the function that it answers calls it off. */
export type After = (milliseconds: number, fire: () => void) => () => void;

/** So many unpredictable bytes. */
export type RandomBytes = (size: number) => Buffer;

/** Unix seconds with their fraction, the unit of every time in the interface, of a time in milliseconds. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
