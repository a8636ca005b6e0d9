import { runInNewContext } from 'node:vm';
import { UserError } from '../../runtime/failure.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { Job } from '../job.ts';

/** The time limit for a pattern, in milliseconds. Texts of a change can be written so that a pattern takes for ever. */
const patternTimeout = 1000;

/** The maximum number of different references: each is looked up. */
const maximumReferences = 50;

/**
 * The texts of a change: its branch, its message, the title of its pull request, and the messages of what was pushed
 * with it. Those of the event count only if the event is about this commit.
 */
export function listTexts(
  { sha1, branch, message }: { readonly sha1: string; readonly branch?: string; readonly message?: string },
  { event }: Pick<Job, 'event'>,
  isMessageRedacted: boolean,
): readonly string[] {
  const isPullRequest = fullSha(valueAt(event, 'pull_request', 'head', 'sha')) === sha1;
  const isPush = fullSha(valueAt(event, 'after')) === sha1 && !isMessageRedacted;
  return [
    branch,
    isPullRequest ? textAt(event, 'pull_request', 'title') : undefined,
    message,
    ...(isPush ? listAt(event, 'commits').map((commit) => textAt(commit, 'message')) : []),
  ].filter((text) => text !== undefined);
}

/**
 * Finds the references to issues in texts: what the pattern matches, or its first group if it has one. Each is found
 * once.
 *
 * @param pattern valid in JavaScript, with the flag `u`
 * @throws UserError if the pattern takes too long, or finds too many
 */
export function findReferences(texts: readonly string[], pattern: string): readonly string[] {
  const found = new Set(JSON.parse(matchAll(texts, pattern)) as readonly string[]);
  if (found.size <= maximumReferences) return [...found];
  throw new UserError({
    input: 'issue-pattern',
    what: `the change has more than ${maximumReferences} different references to issues`,
    remedy: 'Set `issue-pattern` to a pattern that only matches the keys of your own projects.',
  });
}

/** Runs only this script; pattern and texts are its data. A script in a context of its own can have a time limit. */
const script = `JSON.stringify(texts.flatMap((text) =>
  Array.from(text.matchAll(new RegExp(pattern, 'gu')), ([all, first = all]) => first).filter((one) => one !== '')))`;

function matchAll(texts: readonly string[], pattern: string): string {
  try {
    return String(runInNewContext(script, { texts, pattern }, { timeout: patternTimeout }));
  } catch (thrown) {
    throw new UserError({
      input: 'issue-pattern',
      what: `\`issue-pattern\` took more than ${patternTimeout / 1000} s for the texts of this change`,
      remedy: 'Simplify it: nested repetitions such as `(a+)+` can take for ever.',
      cause: thrown,
    });
  }
}
