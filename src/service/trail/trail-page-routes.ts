import { getArtifact } from '../../contract/artifact.ts';
import type { ErrorResponse } from '../../contract/endpoint.ts';
import { attestationId, flowName, orgName, trailName } from '../../contract/names.ts';
import { Type, type Static } from '../../contract/schema.ts';
import { trailNotFound } from '../../contract/trail-reading.ts';
import { printable } from '../../runtime/printable.ts';
import { assertArtifact } from '../artifact/artifact-assertion-use-cases.ts';
import { findAttestation } from '../attestation/attestation-use-cases.ts';
import { findTrailHistory } from './trail-use-cases.ts';
import { mayAccess, type Caller } from '../account/access.ts';
import { type ArtifactDetails } from '../artifact/artifact.ts';
import { isOfKind, type Attachment, type Attestation } from '../attestation/attestation.ts';
import { toReadableDetails, toReadableEvaluations, toReadableHistory } from '../account/readable-parts.ts';
import { DamagedAttachmentError, type AttachmentStore } from '../platform/attachments/attachments.ts';
import { requireArtifact, requireReportId } from '../artifact/artifact-routes.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { httpErrors } from '../platform/server/errors/http-errors.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { validatePath } from '../platform/server/validation.ts';
import { toArtifactPage, type EnvironmentVerdict } from '../artifact/artifact-page.ts';
import { toAttestationPage } from '../attestation/attestation-page.ts';
import { addAuthenticated, addPage, type PageHost } from '../platform/pages/page-host.ts';
import { toTrailPage } from './trail-page.ts';

/** Adds the pages of trails, artifacts and attestations, and the files of attestations. */
export function addTrailPages(host: PageHost): void {
  const { dependencies } = host;
  const { attachments, log } = dependencies;

  addPage(
    host,
    { url: '/:org/flows/:flow_name/artifacts/:fingerprint', path: getArtifact.parameters, query: getArtifact.query },
    async ({ path: { org, flow_name: flow, fingerprint }, query, context, caller }) => {
      const narrow = { trail: query.trail, attestationId: requireReportId(query) };
      const found = await requireArtifact(dependencies, { org, flow, fingerprint, ...narrow });
      const details = toReadableDetails(caller, found.details);
      return toArtifactPage(context, { details, verdicts: await judgeInEnvironments(dependencies, details, caller) });
    },
  );

  // The public client adds the attestation that it has recorded.
  const trailQuery = Type.Object({ attestation_id: Type.Optional(Type.String({ maxLength: 255 })) });
  addPage(
    host,
    { url: '/:org/flows/:flow_name/trails/:trail_name', path: trailPath, query: trailQuery },
    async ({ path, query, context, caller }) => {
      const { org, flow_name: flow, trail_name: name } = path;
      const found = await findTrailHistory(dependencies, { org, flow, name });
      if (found === undefined) throw new ApiError(trailNotFound, { values: path });
      const latest = found.details.attestations.find(({ type }) => type === 'pull_request');
      const attestation =
        latest === undefined
          ? undefined
          : await findAttestation(dependencies, { org, flow, trail: name, id: latest.id });
      const isPullRequest = attestation !== undefined && isOfKind(attestation, 'pull_request');
      const pullRequests = isPullRequest ? attestation.document.pull_requests : [];
      const history = toReadableHistory(caller, found.history);
      return toTrailPage(context, { details: found.details, history, pullRequests, marked: query.attestation_id });
    },
  );

  const attestation = '/:org/flows/:flow_name/trails/:trail_name/attestations/:attestation_id';
  const requireAttestation = async (path: Static<typeof attestationPath>): Promise<Attestation> => {
    const { org, flow_name: flow, trail_name: trail, attestation_id: id } = path;
    const found = await findAttestation(dependencies, { org, flow, trail, id });
    if (found === undefined) throw new ApiError(attestationNotFound, { values: path });
    return found;
  };

  addPage(
    host,
    { url: attestation, path: attestationPath, query: Type.Object({}) },
    async ({ path, context, request }) => {
      const found = await requireAttestation(path);
      const damage = await findDamage(attachments, found.attachment);
      if (damage !== undefined) log.error(`request ${request.id}: the file of attestation ${found.id}`, damage);
      return toAttestationPage(context, found, damage?.fault);
    },
  );

  const requireReader = requireRole(dependencies, 'read');
  addAuthenticated(host, `${attestation}/attachment`, requireReader, async (request, reply) => {
    const path = validatePath<typeof attestationPath>(attestationPath, request.params);
    const { id, attachment } = await requireAttestation(path);
    if (attachment === undefined) throw new ApiError(attestationNotFound, { values: path });
    const content = await attachments.read(attachment).catch((error: unknown) => {
      throw toDamageError(error, id, attachment);
    });
    // The response has begun, so the connection is closed, which tells the client that the file is incomplete.
    content.once('error', (error) => {
      log.error(`request ${request.id}: the file of attestation ${id} could not be read to its end`, error);
    });
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': attachment.size,
      'content-disposition': `attachment; filename*=UTF-8''${encodeHeaderText(printable(attachment.filename))}`,
    };
    return reply.code(200).headers(headers).send(content);
  });
}

/** The maximum number of environments by whose policies an artifact is judged. */
const maximumEnvironments = 4;

/** Judges an artifact by the policies of the environments that it runs in, and that the caller may read. */
async function judgeInEnvironments(
  dependencies: RouteDependencies,
  { artifact, appearances }: ArtifactDetails,
  caller: Caller,
): Promise<readonly EnvironmentVerdict[]> {
  const { org, flow, report } = artifact;
  const running = appearances.filter(({ exitedAt }) => exitedAt === undefined);
  const environments = [...new Set(running.map(({ environment }) => environment))]
    .filter((environment) => mayAccess(caller, org, 'read', { flows: [flow], environments: [environment] }))
    .slice(0, maximumEnvironments);
  const verdicts: EnvironmentVerdict[] = [];
  for (const environment of environments) {
    const assertion = await assertArtifact(dependencies, { org, fingerprint: report.fingerprint, environment });
    if (assertion.outcome !== 'judged') continue;
    const policies = toReadableEvaluations(caller, assertion.policies ?? []);
    verdicts.push({ environment, assertion: { ...assertion, policies } });
  }
  return verdicts;
}

/** Checks the file of an attestation; returns undefined if it is intact or there is none. */
async function findDamage(
  attachments: AttachmentStore,
  attachment: Attachment | undefined,
): Promise<DamagedAttachmentError | undefined> {
  try {
    if (attachment !== undefined) await attachments.verify(attachment);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedAttachmentError) return error;
    throw error;
  }
}

/** Converts the error for a damaged file to an ApiError; returns other errors unchanged. */
function toDamageError(error: unknown, id: string, { filename, digest }: Attachment): unknown {
  if (!(error instanceof DamagedAttachmentError)) return error;
  const values = { id, filename, digest, fault: error.fault };
  return new ApiError(httpErrors.attachmentDamaged, { values, cause: error });
}

const trailPath = Type.Object({ org: orgName, flow_name: flowName, trail_name: trailName });
const attestationPath = Type.Object({
  org: orgName,
  flow_name: flowName,
  trail_name: trailName,
  attestation_id: attestationId,
});

const attestationNotFound: ErrorResponse = {
  status: 404,
  message: "Attestation '{attestation_id}' or its file does not exist in trail '{trail_name}' of flow '{flow_name}'",
  when: 'The trail has no attestation with that id, or the attestation has no file.',
};

/** Encodes a text for a header (RFC 8187), which allows fewer characters than encodeURIComponent. */
function encodeHeaderText(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
