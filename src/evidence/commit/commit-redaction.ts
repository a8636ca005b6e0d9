import type { GitCommitInfo } from '../../contract/commit.ts';

/** What of a commit may be kept from the service. The SHA and the time always go: without them nothing can be matched. */
export const redactableFields = ['author', 'message', 'branch'] as const;

/** A field that the input `redact-commit-info` can name. */
export type RedactableField = (typeof redactableFields)[number];

/** The commit without the fields to redact; the contract has them optional, so they are left out, not blanked. */
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
