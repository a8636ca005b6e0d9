import { reportArtifact } from '../../../contract/artifact-report.ts';
import { artifactNotFound, fingerprintAmbiguous, getArtifact, type Artifact } from '../../../contract/artifact.ts';
import type { QueryOf } from '../../../contract/endpoint.ts';
import { flowNotFound } from '../../../contract/errors.ts';
import { actorName } from '../../domain/access.ts';
import { newIdentifier } from '../../domain/identifier.ts';
import type { ArtifactDossier } from '../../domain/records.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { ArtifactQuery, Store } from '../../storage/store.ts';
import { toArtifactResponse } from './artifact-response.ts';
import { requireRole } from '../authentication/authentication.ts';
import { SerializedJson } from '../json-response.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** Operation 10 and its neighbour: look an artifact up, and report one. */
export function addArtifactRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { store, links, now } = dependencies;
  const written = new WeakMap<ArtifactDossier, SerializedJson<Artifact>>();
  const serialize = (dossier: ArtifactDossier): SerializedJson<Artifact> => {
    const text = written.get(dossier) ?? SerializedJson.from(toArtifactResponse(dossier, links));
    written.set(dossier, text);
    return text;
  };

  addRoute(host, getArtifact, requireRole(dependencies, 'read'), async ({ parameters, query }) => {
    const dossier = await requireArtifact(store, {
      org: parameters.org,
      flow: parameters.flow_name,
      fingerprint: parameters.fingerprint,
      trail: query.trail,
      attestationId: requireReportId(query),
    });
    return { status: 200, body: serialize(dossier) };
  });

  addRoute(host, reportArtifact, requireRole(dependencies, 'record'), async ({ caller, parameters, document }) => {
    const recorded = await store.recordArtifact({
      org: parameters.org,
      flow: parameters.flow_name,
      id: newIdentifier(dependencies),
      createdAt: unixSeconds(now()),
      reportedBy: actorName(caller),
      report: document,
    });
    if (recorded === 'flow not found') throw new ApiError(flowNotFound);
    return { status: 201, body: { message: 'OK' } };
  });
}

/**
 * The id of the report that is asked for, by either of its names; undefined if none is.
 *
 * @throws ApiError if the two differ.
 */
export function requireReportId(query: QueryOf<typeof getArtifact>): string | undefined {
  const { attestation_id: id, artifact_id: other = id } = query;
  if (id !== undefined && id !== other)
    throw validationError(['query.artifact_id', 'must be the same as attestation_id']);
  return other;
}

/**
 * All that is known of the artifact.
 *
 * @throws ApiError where there is none, or more than one.
 */
export async function requireArtifact(store: Store, query: ArtifactQuery): Promise<ArtifactDossier> {
  const finding = await store.findArtifact(query);
  const { org, flow, fingerprint } = query;
  switch (finding.outcome) {
    case 'found':
      return finding.dossier;
    case 'flow not found':
      throw new ApiError(flowNotFound);
    case 'artifact not found':
      throw new ApiError(artifactNotFound, { values: { org, flow, fingerprint } });
    case 'ambiguous':
      throw new ApiError(fingerprintAmbiguous, { values: { org, flow, fingerprint, count: finding.count } });
  }
}
