import { contentNotRemoved, noAttachment, removeAttachment } from '../../contract/attachment-removal.ts';
import { nothingToOverride, overrideAttestation } from '../../contract/attestation-override.ts';
import { artifactNotInTrail } from '../../contract/attestations/attestation-kind.ts';
import { customTypeArchived, customTypeMissing } from '../../contract/attestations/custom.ts';
import { attestationKinds } from '../../contract/attestations/kinds.ts';
import { maximumEvidenceNames } from '../../contract/limits.ts';
import { actorName, hasPermission, toAttribution } from '../account/access.ts';
import { withProof } from '../login/proven-response.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, flowMissing, validationError } from '../platform/server/errors/api-error.ts';
import { retryAfterHeader } from '../platform/server/errors/http-errors.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import * as removals from './attachment-removal-use-cases.ts';
import * as attestations from './attestation-use-cases.ts';
import * as overrides from './override-use-cases.ts';

export function addAttestationRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  for (const { name: kind, endpoint } of attestationKinds) {
    addRoute(host, endpoint, requireRole(dependencies, 'record'), (received) => {
      const { caller, parameters, file, carryOut } = received;
      const document = withProof(caller, received.document);
      const { org, flow_name: flow, trail_name: trail } = parameters;
      const attestation = { org, flow, trail, kind, ...toAttribution(caller, flow), document, file };
      return carryOut(attestations.attest, dependencies, attestation, (recorded) => {
        if (recorded !== 'recorded') throw toObstacleError(recorded, attestation);
        return { status: 201, body: 'OK' };
      });
    });
  }
}

export function addOverrideRoute(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, overrideAttestation, requireRole(dependencies, 'define'), (received) => {
    const { caller, parameters, document, carryOut } = received;
    const { org, flow_name: flow, trail_name: trail } = parameters;
    const override = withProof(caller, document);
    const command = {
      org,
      flow,
      trail,
      override,
      isAdmin: hasPermission(caller.grants, 'administer'),
      ...toAttribution(caller, flow, 'define'),
    };
    return carryOut(overrides.overrideAttestation, dependencies, command, (result) => {
      if (result === 'flow not found') throw flowMissing(org, flow);
      if (result === 'already ended')
        throw validationError(['until', `must not be before today in UTC [input: ${document.until ?? ''}]`]);
      if (result === 'nothing to override') {
        throw new ApiError(nothingToOverride, { values: { org, flow, trail, name: document.attestation_name } });
      }
      if (result === 'too many names') throw tooManyNames();
      if (typeof result === 'object') {
        const given = `[input: ${document.original_attestation_type}]`;
        throw validationError([
          'original_attestation_type',
          `must be ${result.actualType}, the type on record ${given}`,
        ]);
      }
      return { status: 201, body: 'OK' };
    });
  });
}

export function addAttachmentRemovalRoute(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, removeAttachment, requireRole(dependencies, 'administer'), (received) => {
    const { caller, parameters, document, carryOut } = received;
    const { org, attestation_id: id } = parameters;
    const removal = { org, id, by: actorName(caller), reason: document.reason };
    return carryOut(removals.removeAttachment, dependencies, removal, (result) => {
      if (result === 'no attachment') throw new ApiError(noAttachment, { values: parameters });
      if (result === 'content not removed') throw new ApiError(contentNotRemoved, { headers: retryAfterHeader });
      return { status: 200, body: 'OK' };
    });
  });
}

function tooManyNames(): ApiError {
  const rule = `is new, but the artifact or trail already has the maximum of ${maximumEvidenceNames} names; use one of them`;
  return validationError(['attestation_name', rule]);
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
    case 'too many names':
      return tooManyNames();
  }
}
