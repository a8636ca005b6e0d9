import type { GitCommitInfo } from '../../contract/commit.ts';

/** The fields of a commit that can be withheld. The SHA and the time cannot: they are needed for matching. */
export const redactableFields = ['author', 'message', 'branch'] as const;

/** A field that the input `redact-commit-info` can name. */
export type RedactableField = (typeof redactableFields)[number];

/** The commit without the redacted fields: they are optional in the contract, so they are omitted, not emptied. */
export function redacted(commit: GitCommitInfo, fields: readonly RedactableField[]): GitCommitInfo {
  const { author, message, branch, ...always } = commit;
  const kept = (field: RedactableField): boolean => !fields.includes(field);
  return {
    ...always,
    ...(author !== undefined && kept('author') ? { author } : {}),
    ...(message !== undefined && kept('message') ? { message } : {}),
    ...(branch !== undefined && kept('branch') ? { branch } : {}),
  };
}
