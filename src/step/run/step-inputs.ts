import { commitSha, githubToken } from '../../operations/inputs/commit.ts';
import { connectionInputs } from '../../operations/inputs/connection.ts';
import { optional, type ValuesOf } from '../../operations/inputs/input.ts';
import { commitStatus, pullRequestComment } from '../../operations/inputs/publication.ts';

/** The inputs by which the end of any operation is shown beside its run. */
export const publicationSwitches = {
  pullRequestComment: optional(pullRequestComment),
  commitStatus: optional(commitStatus),
} as const;

/**
 * What decides where a step's end is shown beside its run. A malformed value is reported with the other inputs; the end of
 * that step is shown where the well-formed ones say.
 */
export const publicationInputs = {
  ...publicationSwitches,
  githubToken: optional(githubToken),
  commitSha: optional(commitSha),
  dryRun: connectionInputs.dryRun,
} as const;

/** What of them was given, and is well-formed. */
export type PublicationInputs = Partial<ValuesOf<typeof publicationInputs>>;

/** Whether the end of the step is to be shown at all. */
export function isPublished({ pullRequestComment, commitStatus }: PublicationInputs): boolean {
  return pullRequestComment === true || commitStatus !== undefined;
}
