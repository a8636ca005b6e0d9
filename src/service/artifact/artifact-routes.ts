import { reportArtifact, toArtifactReport } from '../../contract/artifact-report.ts';
import { artifactNotFound, fingerprintAmbiguous, getArtifact } from '../../contract/artifact.ts';
import type { EndpointQuery } from '../../contract/endpoint.ts';
import { actorName, toCountsFor } from '../account/access.ts';
import * as artifacts from './artifact-use-cases.ts';
import { toReadableDetails } from '../account/readable-parts.ts';
import { withProof } from '../login/proven-response.ts';
import { toArtifactResponse } from './artifact-response.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, flowMissing, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds operation 10 (get an artifact) and the endpoint that reports an artifact. */
export function addArtifactRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { links } = dependencies;

  addRoute(host, getArtifact, requireRole(dependencies, 'read'), async ({ caller, parameters, query }) => {
    const found = await requireArtifact(dependencies, {
      org: parameters.org,
      flow: parameters.flow_name,
      fingerprint: parameters.fingerprint,
      trail: query.trail,
      attestationId: requireReportId(query),
    });
    return { status: 200, body: toArtifactResponse(toReadableDetails(caller, found.details), links) };
  });

  addRoute(host, reportArtifact, requireRole(dependencies, 'record'), ({ caller, parameters, document, carryOut }) => {
    const { org, flow_name: flow } = parameters;
    const report = {
      ...{ org, flow, reportedBy: actorName(caller), countsFor: toCountsFor(caller, flow) },
      report: withProof(caller, toArtifactReport(document)),
    };
    return carryOut(
      (recorded: artifacts.RecordArtifactResult) => {
        if (recorded === 'flow not found') throw flowMissing(org, flow);
        return { status: 201, body: { message: 'OK', html_url: links.trailPage(org, flow, report.report.trail_name) } };
      },
      (request) => artifacts.reportArtifact(dependencies, report, request),
    );
  });
}

/**
 * Returns the id of the requested report, which can be given under two names; undefined if there is none.
 *
 * @throws ApiError if the two differ.
 */
export function requireReportId(query: EndpointQuery<typeof getArtifact>): string | undefined {
  const { attestation_id: id, artifact_id: other = id } = query;
  if (id !== undefined && id !== other)
    throw validationError(['query.artifact_id', 'must be the same as attestation_id']);
  return other;
}

/**
 * Finds an artifact.
 *
 * @throws ApiError if there is none, or the fingerprint is ambiguous.
 */
export async function requireArtifact(
  dependencies: Pick<RouteDependencies, 'storage'>,
  query: artifacts.ArtifactQuery,
): Promise<artifacts.FoundArtifact> {
  const finding = await artifacts.findArtifact(dependencies, query);
  const { org, flow, fingerprint } = query;
  switch (finding.outcome) {
    case 'found':
      return finding;
    case 'flow not found':
      throw flowMissing(org, flow);
    case 'artifact not found':
      throw new ApiError(artifactNotFound, { values: { org, flow, fingerprint } });
    case 'ambiguous':
      throw new ApiError(fingerprintAmbiguous, { values: { org, flow, fingerprint, count: finding.count } });
  }
}
