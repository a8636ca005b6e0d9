import type { Since } from '../../evidence/commit/first-parent-commits.ts';
import { branchName, fullSha } from '../../evidence/git/git-ref.ts';
import type { Input } from '../inputs/input.ts';
import { timestamp } from '../inputs/input-types.ts';

/** A branch to audit. The value has no `refs/heads/`. */
export const branch: Input<string> = {
  name: 'branch',
  parse(text) {
    const value = branchName(text);
    // Characters that no branch can have (git-check-ref-format(1)).
    if (value !== undefined && value.length <= 255 && !/[\p{Cc}\s~^:?*[\\]|\.\.|^[-/]/u.test(value)) return { value };
    return { problem: 'must be the name of a branch', remedy: 'Write the name only, such as `main` or `release/2`.' };
  },
};

const time = timestamp('since');

/** Where an audit begins. */
export const since: Input<Since> = {
  name: 'since',
  parse(text) {
    const sha = fullSha(text);
    if (sha !== undefined) return { value: { sha } };
    const parsed = time.parse(text);
    if ('value' in parsed) return { value: { time: parsed.value } };
    return {
      problem: 'must be a commit, or a time in Unix seconds or in ISO 8601',
      remedy: 'Write all 40 hex digits of a commit, or a time such as 2026-10-02 or 2026-10-02T12:00:00Z.',
    };
  },
};
