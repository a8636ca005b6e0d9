import type { Input } from './input.ts';
import { flag, text } from './parse.ts';

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
