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
  addRoute(host, attestSonar, requireRole(dependencies, 'record'), (received) => {
    const { caller, parameters, document, file, carryOut } = received;
    const { org, flow_name: flow, trail_name: trail } = parameters;
    const attestation = { org, flow, trail, reportedBy: actorName(caller), document, file };
    return carryOut(
      (recorded: attestations.AttestSonarResult) => {
        if (recorded !== 'recorded') throw toObstacleError(recorded, attestation);
        return { status: 201, body: 'OK' };
      },
      (request) => attestations.attestSonar(dependencies, attestation, request),
    );
  });
}

function toObstacleError(
  obstacle: Exclude<attestations.AttestSonarResult, 'recorded'>,
  { org, flow, trail, document }: attestations.SonarAttestationCommand,
): ApiError {
  switch (obstacle) {
    case 'flow not found':
      return new ApiError(flowNotFound);
    case 'artifact not found': {
      const fingerprint = document.artifact_fingerprint ?? '';
      return new ApiError(artifactNotInTrail, { values: { org, flow, trail, fingerprint } });
    }
    case 'too many names': {
      const rule = `is new, but the artifact or trail already has the maximum of ${maximumEvidenceNames} names; use one of them`;
      return validationError(['attestation_name', rule]);
    }
  }
}
