import type { OperationContext } from '../operation.ts';

/** An artifact to look up. */
export interface ArtifactQuery {
  /** All digits, or the first ones. */
  readonly fingerprint: string;
  /** The file or directory that the fingerprint was computed from; undefined if the fingerprint was given. */
  readonly name: string | undefined;
  readonly flow: string;
  readonly trail: string | undefined;
  readonly attestationId: string | undefined;
}

/** The inputs that say what to look up. */
interface QueryInputs extends Pick<ArtifactQuery, 'flow' | 'trail' | 'attestationId'> {
  readonly fingerprints: readonly string[] | undefined;
  readonly files: readonly string[] | undefined;
}

/**
 * The queries for the fingerprints of the inputs, once each; or for the files of the inputs, whose fingerprints it
 * computes.
 *
 * @throws UserError if `files` matches nothing
 */
export async function createQueries(
  { fingerprints, files, flow, trail, attestationId }: QueryInputs,
  { workspace, call: { log, signal } }: OperationContext,
): Promise<readonly ArtifactQuery[]> {
  const toQuery = (fingerprint: string, name: string | undefined): ArtifactQuery => ({
    fingerprint,
    name,
    flow,
    trail,
    attestationId,
  });
  if (fingerprints !== undefined)
    return [...new Set(fingerprints)].map((fingerprint) => toQuery(fingerprint, undefined));
  return log.group('Compute fingerprints', async () => {
    // Loading Node's crypto takes longer than the request, so only steps that need it load it.
    const { artifactFingerprints } = await import('../../evidence/fingerprint/fingerprint.ts');
    const queries: ArtifactQuery[] = [];
    for await (const { name, fingerprint } of artifactFingerprints({ patterns: files ?? [], workspace, signal })) {
      log.info(`${name}: ${fingerprint}`);
      queries.push(toQuery(fingerprint, name));
    }
    return queries;
  });
}
