import { trailNotFound } from '../../../contract/trail-reading.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static, type TObject } from '../../../contract/schema.ts';
import { getArtifact } from '../../../contract/artifact.ts';
import type { ErrorResponse } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { attestationId, environmentName, flowName, orgName, trailName } from '../../../contract/names.ts';
import type { SnapshotSelector } from '../../../contract/snapshot-expression.ts';
import type { Attachment, Attestation } from '../../domain/records.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import { requireArtifact, requireReportId } from '../api/artifacts.ts';
import { authenticate, requireApiKey, requireRole } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';
import { validatePath, validateQuery } from '../validation.ts';
import type { RouteHost } from '../route.ts';
import { DamagedAttachmentError, type AttachmentStore } from '../../storage/attachments.ts';
import { renderArtifact } from './artifact-page.ts';
import { renderAttestation } from './attestation-page.ts';
import { listOpenOrganizations } from '../../application/access.ts';
import * as snapshots from '../../application/snapshots.ts';
import { findAttestation } from '../../application/attestations.ts';
import { findTrail } from '../../application/trails.ts';
import { renderHome } from './home-page.ts';
import { html } from './html.ts';
import { sendPage } from './layout.ts';
import { renderSnapshot } from './snapshot-page.ts';
import { renderTrail } from './trail-page.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/**
 * Adds the HTML pages that the service links to. They show the records, without scripts. Browsers authenticate by HTTP
 * Basic, with the API key as the user name.
 */
export function addPages({ app }: RouteHost, dependencies: RouteDependencies): void {
  const { attachments, links, log } = dependencies;
  const page = <Path extends TObject>(url: string, path: Path, handler: PageHandler<Static<Path>>): void => {
    app.get(url, {
      onRequest: async (request) => {
        await authenticate(request, pageEndpoint, requireRole(dependencies, 'read'));
      },
      handler: (request, reply) => handler(validatePath<Path>(path, request.params), reply, request),
    });
  };

  app.get('/', async (request, reply) => {
    const key = await authenticate(request, pageEndpoint, requireApiKey(dependencies));
    return sendPage(reply, 'Compliance', renderHome(key, await listOpenOrganizations(dependencies, { key })));
  });

  page('/:org/flows/:flow_name/artifacts/:fingerprint', getArtifact.parameters, async (path, reply, request) => {
    const query = validateQuery(getArtifact.query, request.query);
    const { org, flow_name: flow, fingerprint } = path;
    const narrow = { trail: query.trail, attestationId: requireReportId(query) };
    const { details } = await requireArtifact(dependencies, { org, flow, fingerprint, ...narrow });
    return sendPage(reply, `Artifact ${details.artifact.report.filename}`, renderArtifact(details, links));
  });

  page('/:org/flows/:flow_name/trails/:trail_name', trailPath, async (path, reply) => {
    const { org, flow_name: flow, trail_name: name } = path;
    const details = await findTrail(dependencies, { org, flow, name });
    if (details === undefined) throw new ApiError(trailNotFound, { values: path });
    return sendPage(reply, `Trail ${details.trail.name}`, renderTrail(details, links));
  });

  const findSnapshot = (
    org: string,
    environment: string,
    selector: SnapshotSelector,
  ): Promise<snapshots.SnapshotLookup> => {
    const readings = [{ environment, selector }];
    return snapshots.findSnapshot(dependencies, { org, readings, now: unixSeconds(dependencies.now()) });
  };

  // The public client links to the shorter path.
  for (const place of ['snapshots/:index', ':index']) {
    page(`/:org/environments/:env_name/${place}`, snapshotPath, async (path, reply) => {
      const { org, env_name: environment, index } = path;
      const finding = await findSnapshot(org, environment, { kind: 'number', number: index });
      if (finding.outcome === 'too large') throw new ApiError(snapshotTooLarge, { values: path });
      if (finding.outcome !== 'found') throw new ApiError(snapshotNotFound, { values: path });
      return sendPage(reply, `Snapshot ${index} of ${environment}`, renderSnapshot(finding.snapshot));
    });
  }

  for (const end of ['', '/']) {
    page(`/:org/environments/:env_name${end}`, environmentPath, async (path, reply) => {
      const { org, env_name: environment } = path;
      const finding = await findSnapshot(org, environment, { kind: 'latest' });
      switch (finding.outcome) {
        case 'found':
          return sendPage(reply, `Environment ${environment}`, renderSnapshot(finding.snapshot));
        case 'no such snapshot':
          return sendPage(reply, `Environment ${environment}`, html`<p>No report yet.</p>`);
        case 'too large':
          throw new ApiError(snapshotTooLarge, { values: path });
        case 'environment not found':
          throw new ApiError(environmentNotFoundPage, { values: path });
      }
    });
  }

  const attestation = '/:org/flows/:flow_name/trails/:trail_name/attestations/:attestation_id';
  const requireAttestation = async (path: Static<typeof attestationPath>): Promise<Attestation> => {
    const { org, flow_name: flow, trail_name: trail, attestation_id: id } = path;
    const found = await findAttestation(dependencies, { org, flow, trail, id });
    if (found === undefined) throw new ApiError(attestationNotFound, { values: path });
    return found;
  };

  page(attestation, attestationPath, async (path, reply, request) => {
    const found = await requireAttestation(path);
    const damage = await findDamage(attachments, found.attachment);
    if (damage !== undefined) log.error(`request ${request.id}: the file of attestation ${found.id}`, damage);
    const content = renderAttestation(found, links, damage?.fault);
    return sendPage(reply, `Attestation ${found.name}`, content, damage === undefined ? 200 : 500);
  });

  page(`${attestation}/attachment`, attestationPath, async (path, reply, request) => {
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
      'content-disposition': `attachment; filename*=UTF-8''${encodeHeaderText(attachment.filename)}`,
    };
    return reply.code(200).headers(headers).send(content);
  });
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

const pageEndpoint = { authentication: ['basic', 'bearer'], errors: [commonErrors.forbidden] } as const;

type PageHandler<Path> = (path: Path, reply: FastifyReply, request: FastifyRequest) => Promise<FastifyReply>;

const trailPath = Type.Object({ org: orgName, flow_name: flowName, trail_name: trailName });
const attestationPath = Type.Object({
  org: orgName,
  flow_name: flowName,
  trail_name: trailName,
  attestation_id: attestationId,
});

const environmentPath = Type.Object({ org: orgName, env_name: environmentName });

const snapshotPath = Type.Object({
  org: orgName,
  env_name: environmentName,
  index: Type.Integer({ minimum: 1, maximum: 999_999_999 }),
});

const environmentNotFoundPage: ErrorResponse = {
  status: 404,
  message: "Environment named '{env_name}' does not exist for organization '{org}'",
  when: 'There is no such environment.',
};

const snapshotNotFound: ErrorResponse = {
  status: 404,
  message: "Snapshot {index} of environment '{env_name}' does not exist in organization '{org}'",
  when: 'There is no such environment, or it has no snapshot with that number.',
};

const snapshotTooLarge: ErrorResponse = {
  status: 400,
  message:
    "The members of environment '{env_name}' have too many artifacts for one page; open the snapshots of each member",
  when: 'The members of a logical environment have very many artifacts.',
};

const attestationNotFound: ErrorResponse = {
  status: 404,
  message: "Attestation '{attestation_id}' or its file does not exist in trail '{trail_name}' of flow '{flow_name}'",
  when: 'The trail has no attestation with that id, or the attestation has no file.',
};

/** Encodes a text for a header (RFC 8187), which allows fewer characters than encodeURIComponent. */
function encodeHeaderText(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
