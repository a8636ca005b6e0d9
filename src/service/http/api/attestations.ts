import { artifactNotInTrail, attestSonar } from '../../../contract/attestation.ts';
import { flowNotFound } from '../../../contract/errors.ts';
import { maximumEvidenceNames } from '../../../contract/limits.ts';
import * as attestations from '../../application/attestations.ts';
import { actorName } from '../../domain/access.ts';
import { requireRole } from '../authentication/authentication.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** Adds operation 7: attest a Sonar scan. */
export function addAttestationRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, attestSonar, requireRole(dependencies, 'record'), async ({ caller, parameters, document, file }) => {
    const { org, flow_name: flow, trail_name: trail } = parameters;
    const attestation = { org, flow, trail, reportedBy: actorName(caller), document, file };
    const recorded = await attestations.attestSonar(dependencies, attestation);
    switch (recorded) {
      case 'recorded':
        return { status: 201, body: 'OK' };
      case 'flow not found':
        throw new ApiError(flowNotFound);
      case 'artifact not found': {
        const fingerprint = document.artifact_fingerprint ?? '';
        throw new ApiError(artifactNotInTrail, { values: { org, flow, trail, fingerprint } });
      }
      case 'too many names': {
        const rule = `is new, but the artifact or trail already has the maximum of ${maximumEvidenceNames} names; use one of them`;
        throw validationError(['attestation_name', rule]);
      }
    }
  });
}
