import type { ComplianceClient } from '../../client/client.ts';
import { getArtifact as endpoint, type Artifact } from '../../contract/artifact.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { maximumConnections } from '../../http/connections.ts';
import { mapConcurrently } from '../../runtime/concurrent.ts';
import type { OperationContext } from '../operation.ts';
import { settle, type Settled } from '../polling.ts';
import type { ArtifactQuery } from './artifact-query.ts';
import { fetchEnvironment, type EnvironmentView } from './environment-standing.ts';
import { parseVerdict } from './parse-verdict.ts';

/** What the service answered to a query, with the verdict of the artifact's state. */
export interface ArtifactLookup {
  readonly query: ArtifactQuery;
  readonly settled: Settled<{ readonly artifact: Artifact; readonly verdict: Verdict }>;
}

/** What the service answered about an environment. */
export interface EnvironmentLookup {
  readonly name: string;
  readonly settled: Settled<EnvironmentView>;
}

/** Everything that a verdict rests on, from one poll. */
export interface Lookups {
  /** In the order of the queries. */
  readonly artifacts: readonly ArtifactLookup[];
  /** Undefined if no environment was asked about. */
  readonly environment: EnvironmentLookup | undefined;
}

/** What to look up. */
export interface LookupRequest {
  readonly queries: readonly ArtifactQuery[];
  readonly environment: string | undefined;
}

/**
 * Looks up all artifacts and the environment. Everything is fetched again in every poll, because an artifact that was
 * compliant minutes ago may have non-compliant evidence now.
 *
 * @param previous the lookups of the previous poll
 */
export async function lookupArtifacts(
  { queries, environment }: LookupRequest,
  client: ComplianceClient,
  context: OperationContext,
  previous: Lookups | undefined,
): Promise<Lookups> {
  const artifacts = await mapConcurrently([...queries.entries()], maximumConnections, ([index, query]) =>
    lookupArtifact(query, previous?.artifacts[index], client, context),
  );
  if (environment === undefined) return { artifacts, environment };
  // After the artifacts, so that the environment is never older than they are.
  const settled = await settle(
    () => fetchEnvironment(client, context.org, environment),
    previous?.environment?.settled,
    context.call.signal,
  );
  return { artifacts, environment: { name: environment, settled } };
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
