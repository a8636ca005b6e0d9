import { flag, oneOf, text, integer } from './input-types.ts';
import type { Input } from './input.ts';

/** What a verdict that is not compliant does to the step. */
export const onNonCompliant = oneOf('on-non-compliant', ['fail', 'warn', 'ignore']);

/** How long to wait for a verdict, in seconds: six hours, the longest that a job may run, at most. */
export const wait = integer('wait', 0, 21_600, 'seconds');

/** Whether the step writes a job summary. */
export const summary = flag('summary');

/** What the step does where `api-token` is missing or empty, as it is on pull requests from forks. */
export const onMissingToken = oneOf('on-missing-token', ['fail', 'skip']);

/** Whether the step's end is shown in a comment on the pull request. */
export const pullRequestComment = flag('pull-request-comment');

/**
 * What GitHub's context `matrix` holds, as JSON: `null` outside a matrix. The default in action.yml gives it to every step, as
 * no variable of the job does; it is never a mistake, because nobody wrote it.
 */
export const matrix = text('matrix');

/** The most characters that GitHub takes as the context of a commit status. */
const longestContext = 255;

/** The context of the commit status that shows the step's end: the name that a required check is chosen by. */
export const commitStatus: Input<string> = {
  name: 'commit-status',
  secret: false,
  parse(text) {
    // GitHub stores no characters beyond the Basic Multilingual Plane in it, such as most emoji.
    if (text.length <= longestContext && !/[\p{Cc}\u{10000}-\u{10FFFF}]/u.test(text)) return { value: text };
    return {
      problem: `must be the context of a commit status: one line of at most ${longestContext} characters, without emoji`,
      remedy: 'Write a short name such as `compliance/web`.',
    };
  },
};
