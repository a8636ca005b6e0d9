import { commitSha, githubToken } from '../operations/inputs/commit.ts';
import { optional, type ValuesOf } from '../operations/inputs/input.ts';
import { commitStatus, pullRequestComment } from '../operations/inputs/publication.ts';

/**
 * What decides where a step's end is shown beside its run. A malformed value is reported with the other inputs; the end of
 * that step is shown where the well-formed ones say.
 */
export const publicationInputs = {
  pullRequestComment: optional(pullRequestComment),
  commitStatus: optional(commitStatus),
  githubToken: optional(githubToken),
  commitSha: optional(commitSha),
} as const;

/** What of them was given, and is well-formed. */
export type PublicationInputs = Partial<ValuesOf<typeof publicationInputs>>;
