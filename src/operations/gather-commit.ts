import type { Endpoint } from '../contract/endpoint.ts';
import { connectSources } from '../evidence/commit/commit-sources.ts';
import { type CommitEvidence, gatherCommitEvidence } from '../evidence/commit/gather-commit.ts';
import type { commitInputs } from './inputs/attestation-inputs.ts';
import type { ValuesOf } from './inputs/input.ts';
import type { OperationContext } from './operation.ts';

/**
 * Gathers what is known about the commit that the evidence is about. While git runs, the client gets ready to call the
 * endpoint.
 *
 * @throws Failure if the commit is unknown
 */
export function gatherCommit(
  { commitSha, redactCommitInfo, githubToken }: ValuesOf<typeof commitInputs>,
  { client, job, environment, call }: OperationContext,
  endpoint: Endpoint,
): Promise<CommitEvidence> {
  const whileGitRuns = (): void => {
    void client.preload(endpoint);
  };
  return call.log.group('Collect commit information', () =>
    gatherCommitEvidence(
      { job, commitSha, redact: redactCommitInfo, log: call.log },
      connectSources({ ...call, job, environment, githubToken, whileGitRuns }),
    ),
  );
}
