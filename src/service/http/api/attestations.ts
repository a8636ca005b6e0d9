import { artifactNotInTrail, attestSonar } from '../../../contract/attestation.ts';
import { flowNotFound } from '../../../contract/errors.ts';
import { maximumEvidenceNames } from '../../../contract/limits.ts';
import { actorName } from '../../domain/access.ts';
import { newIdentifier } from '../../domain/identifier.ts';
import type { Attachment } from '../../domain/records.ts';
import { judgeSonar } from '../../domain/sonar.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { requireRole } from '../authentication/authentication.ts';
import type { UploadedFile } from '../bodies/multipart.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** Operation 7: attest a Sonar scan. */
export function addAttestationRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { store, now } = dependencies;
  addRoute(host, attestSonar, requireRole(dependencies, 'record'), async ({ caller, parameters, document, file }) => {
    const { org, flow_name: flow, trail_name: trail } = parameters;
    const { storage } = dependencies;
    if (!(await storage.read(({ flows }) => flows.exists(org, flow)))) throw new ApiError(flowNotFound);
    await demandReported(store, { org, flow, trail, fingerprint: document.artifact_fingerprint });
    const attachment = await keep(file);
    const recorded = await store.recordAttestation({
      org,
      flow,
      trail,
      id: newIdentifier(dependencies),
      name: document.attestation_name,
      type: 'sonar',
      ...judgeSonar(document.sonar_results),
      createdAt: unixSeconds(now()),
      reportedBy: actorName(caller),
      document,
      attachment,
    });
    if (recorded === 'flow not found') throw new ApiError(flowNotFound);
    if (recorded === 'too many names') {
      const rule = `is new, and what it is about has attestations of ${maximumEvidenceNames} names already; use one of these`;
      throw validationError(['attestation_name', rule]);
    }
    return { status: 201, body: 'OK' };
  });
}

interface ArtifactInTrail {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  readonly fingerprint: string | undefined;
}

/** @throws ApiError if an artifact is named and was not reported to the trail. Artifacts are never removed. */
async function demandReported(store: Store, { org, flow, trail, fingerprint }: ArtifactInTrail): Promise<void> {
  if (fingerprint === undefined || (await store.hasArtifact(org, flow, trail, fingerprint))) return;
  throw new ApiError(artifactNotInTrail, { values: { org, flow, trail, fingerprint } });
}

/** Keeps the content first: a record never names a file that a crash could lose. */
async function keep(file: UploadedFile | undefined): Promise<Attachment | undefined> {
  if (file === undefined) return undefined;
  await file.content.keep();
  return { filename: file.filename, digest: file.content.digest, size: file.content.size };
}
