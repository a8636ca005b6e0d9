import type { ComplianceClient } from '../../client/client.ts';
import { getArtifact as endpoint, type Artifact } from '../../contract/artifact.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { maximumConnections } from '../../http/connections.ts';
import { mapConcurrently } from '../../runtime/concurrent.ts';
import type { OperationContext } from '../operation.ts';
import { settle, type Settled } from '../polling.ts';
import type { ArtifactQuery } from './artifact-query.ts';
import { parseVerdict } from './parse-verdict.ts';

/** What the service answered to a query, with the verdict of the artifact's state. */
export interface ArtifactLookup {
  readonly query: ArtifactQuery;
  readonly settled: Settled<{ readonly artifact: Artifact; readonly verdict: Verdict }>;
}

/**
 * Looks up all artifacts, in the order of the queries. Each is fetched again in every poll, because an artifact that was
 * compliant minutes ago may have non-compliant evidence now.
 *
 * @param previous the lookups of the previous poll
 */
export function lookupArtifacts(
  queries: readonly ArtifactQuery[],
  client: ComplianceClient,
  context: OperationContext,
  previous: readonly ArtifactLookup[] | undefined,
): Promise<readonly ArtifactLookup[]> {
  return mapConcurrently([...queries.entries()], maximumConnections, ([index, query]) =>
    lookupArtifact(query, previous?.[index], client, context),
  );
}

async function lookupArtifact(
  query: ArtifactQuery,
  previous: ArtifactLookup | undefined,
  client: ComplianceClient,
  { org, call }: OperationContext,
): Promise<ArtifactLookup> {
  const { name, fingerprint, flow, trail, attestationId } = query;
  const settled = await settle(
    async () => {
      const { body: artifact } = await client.call(endpoint, {
        parameters: { org, flow_name: flow, fingerprint },
        query: {
          ...(trail === undefined ? {} : { trail }),
          ...(attestationId === undefined ? {} : { attestation_id: attestationId }),
        },
      });
      return { artifact, verdict: parseVerdict(artifact, query) };
    },
    previous?.settled,
    call.signal,
  );
  const state = settled.value?.artifact.state;
  if (state !== undefined && state !== previous?.settled.value?.artifact.state) {
    call.log.info(`${name ?? fingerprint}: ${state}`);
  }
  return { query, settled };
}
