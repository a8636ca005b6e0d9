import { flag, oneOf } from './parse.ts';

/** What a verdict that is not compliant does to the step. */
export const onNonCompliant = oneOf('on-non-compliant', ['fail', 'warn', 'ignore']);

/** Whether the step writes a job summary. */
export const summary = flag('summary');
