import { flag, oneOf, wholeNumber } from './parse.ts';

/** What a verdict that is not compliant does to the step. */
export const onNonCompliant = oneOf('on-non-compliant', ['fail', 'warn', 'ignore']);

/** How long to wait for a verdict, in seconds: six hours, the longest that a job may run, at most. */
export const wait = wholeNumber('wait', 0, 21_600, 'seconds');

/** Whether the step writes a job summary. */
export const summary = flag('summary');
