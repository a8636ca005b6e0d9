import type { Input } from './input.ts';
import { integer, text } from './input-types.ts';

/** How long to wait for a verdict, in seconds; at most six hours, the maximum duration of a job. */
export const wait = integer('wait', 0, 21_600, 'seconds');

export const knownCheckpoint = text('known-checkpoint');

/**
 * GitHub's context `matrix` as JSON; `null` outside a matrix. No environment variable has it, so action.yml sets it as
 * the default of this input. Users do not set it, so no value is an error.
 */
export const matrix = text('matrix');

/** GitHub's limit for the context of a commit status, in characters. */
const maximumContextLength = 255;

/** The context of the commit status that shows the step's result; required checks select it by this name. */
export const commitStatus: Input<string> = {
  name: 'commit-status',
  parse(text) {
    // GitHub cannot store characters outside the Basic Multilingual Plane, such as most emoji.
    if (text.length <= maximumContextLength && !/[\p{Cc}\u{10000}-\u{10FFFF}]/u.test(text)) return { value: text };
    return {
      problem: `must be the context of a commit status: one line of at most ${maximumContextLength} characters, without emoji`,
      remedy: 'Write a short name such as `compliance/web`.',
    };
  },
};
