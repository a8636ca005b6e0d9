import { identifyArtifacts, type IdentifiedArtifact, type IdentifyingInputs } from '../identify-artifacts.ts';
import type { OperationContext } from '../operation.ts';

/** An artifact to look up. */
export interface ArtifactQuery extends IdentifiedArtifact {
  readonly flow: string;
  readonly trail: string | undefined;
  readonly attestationId: string | undefined;
}

/** The inputs that say what to look up. */
interface QueryInputs extends Pick<ArtifactQuery, 'flow' | 'trail' | 'attestationId'>, IdentifyingInputs {}

/**
 * The queries for the fingerprints of the inputs, once each; or for the files of the inputs, whose fingerprints it
 * computes.
 *
 * @throws UserError if `files` matches nothing
 */
export async function createQueries(
  { fingerprints, files, flow, trail, attestationId }: QueryInputs,
  context: OperationContext,
): Promise<readonly ArtifactQuery[]> {
  const artifacts = await identifyArtifacts({ fingerprints, files }, context);
  return artifacts.map((artifact) => ({ ...artifact, flow, trail, attestationId }));
}
