import { customTypeArchived, customTypeMissing } from '../../contract/attestations/custom.ts';
import { artifactNotInTrail } from '../../contract/attestations/attestation-kind.ts';
import { attestationKinds } from '../../contract/attestations/kinds.ts';
import { maximumEvidenceNames } from '../../contract/limits.ts';
import * as attestations from './attestation-use-cases.ts';
import { actorName, toCountsFor } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, flowMissing, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import { withProof } from '../login/proven-response.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds the endpoints that record attestations, one for each kind; operation 7 is one of them. */
export function addAttestationRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  for (const { name: kind, endpoint } of attestationKinds) {
    addRoute(host, endpoint, requireRole(dependencies, 'record'), (received) => {
      const { caller, parameters, file, carryOut } = received;
      const document = withProof(caller, received.document);
      const { org, flow_name: flow, trail_name: trail } = parameters;
      const countsFor = toCountsFor(caller, flow);
      const attestation = { org, flow, trail, kind, reportedBy: actorName(caller), countsFor, document, file };
      return carryOut(
        (recorded: attestations.AttestResult) => {
          if (recorded !== 'recorded') throw toObstacleError(recorded, attestation);
          return { status: 201, body: 'OK' };
        },
        (request) => attestations.attest(dependencies, attestation, request),
      );
    });
  }
}

function toObstacleError(
  obstacle: Exclude<attestations.AttestResult, 'recorded'>,
  { org, flow, trail, document }: attestations.AttestationCommand,
): ApiError {
  const type = 'type_name' in document ? document.type_name : '';
  switch (obstacle) {
    case 'type not found':
      return new ApiError(customTypeMissing, { values: { org, name: type } });
    case 'type archived':
      return new ApiError(customTypeArchived, { values: { org, name: type } });
    case 'flow not found':
      return flowMissing(org, flow);
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
