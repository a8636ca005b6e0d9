import type { BranchHint } from './judged-commit.ts';

/**
 * The branch of a commit whose event names none. One that git has the commit on, if it is the only one or an expected one,
 * because of several any other choice would be a guess; else the tag; else none, and never an empty text.
 *
 * @param holding the branches that git has the commit on.
 */
export function probableBranch(hint: BranchHint, holding: readonly string[]): string | undefined {
  const expected = hint.likely?.find((name) => name !== undefined && holding.includes(name));
  const only = holding.length === 1 ? holding[0] : undefined;
  return expected ?? only ?? hint.otherwise;
}
