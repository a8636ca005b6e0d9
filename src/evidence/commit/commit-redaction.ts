/** The fields of a commit that can be withheld. The SHA and the time cannot: they are needed for matching. */
export const redactableFields = ['author', 'message', 'branch'] as const;

/** A field that the input `redact-commit-info` can name. */
export type RedactableField = (typeof redactableFields)[number];
