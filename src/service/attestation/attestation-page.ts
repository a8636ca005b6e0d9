import type { OverrideMark } from '../../contract/attestation-list.ts';
import { findAttestationById } from '../../contract/attestation-lookup.ts';
import { bundleMediaType } from '../../contract/attestation-statement.ts';
import type { ErrorResponse } from '../../contract/errors.ts';
import { attestationId, flowName, orgName, trailName } from '../../contract/names.ts';
import { type Static, Type } from '../../contract/schema.ts';
import { printable } from '../../runtime/printable.ts';
import { describeEvidence } from '../artifact/artifact-state.ts';
import { renderProven } from '../login/proven-html.ts';
import {
  type AttachmentFault,
  type AttachmentStore,
  DamagedAttachmentError,
} from '../platform/attachments/attachments.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import {
  clip,
  describeCountsFor,
  pageLink,
  renderFacts,
  renderHash,
  renderResult,
  renderTime,
} from '../platform/pages/components.ts';
import { type Html, html, link } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addAuthenticated, addPage, type PageHost } from '../platform/pages/page-host.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { httpErrors } from '../platform/server/errors/http-errors.ts';
import { validatePath } from '../platform/server/validation.ts';
import type { Attachment, Attestation } from './attestation.ts';
import { renderKind } from './attestation-kind-html.ts';
import { findAttestation } from './attestation-lookup-use-cases.ts';
import { renderAddress, renderAnnotations, renderExternalLinks, renderUserData } from './evidence-html.ts';
import { toSentence } from './reasons.ts';
import { createStatement } from './statement-routes.ts';

const attestationPath = Type.Object({
  org: orgName,
  flow_name: flowName,
  trail_name: trailName,
  attestation_id: attestationId,
});

const notInTrail: ErrorResponse = {
  status: 404,
  message: "Attestation '{attestation_id}' or its file does not exist in trail '{trail_name}' of flow '{flow_name}'",
  when: 'The trail has no attestation with that id, or the attestation has no file.',
};

const attachmentRemoved: ErrorResponse = {
  status: 410,
  message: 'The file was removed by {by} at {at}: {reason}',
  when: 'An admin removed it. The attestation and its verdict stay.',
};

/** Encodes a text for a header (RFC 8187), which allows fewer characters than encodeURIComponent. */
function encodeHeaderText(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

export function addAttestationPage(host: PageHost): void {
  const { dependencies } = host;
  const { attachments, log, signingKeys } = dependencies;
  const attestation = '/:org/flows/:flow_name/trails/:trail_name/attestations/:attestation_id';
  const requireAttestation = async (path: Static<typeof attestationPath>): Promise<Attestation> => {
    const { org, flow_name: flow, trail_name: trail, attestation_id: id } = path;
    const found = await findAttestation(dependencies, { org, id });
    if (found?.flow !== flow || found.trail !== trail) throw new ApiError(notInTrail, { values: path });
    return found;
  };

  addPage(
    host,
    { url: attestation, path: attestationPath, query: Type.Object({}) },
    async ({ path, context, request }) => {
      const found = await requireAttestation(path);
      const damage = await findDamage(attachments, found.attachment);
      if (damage !== undefined) log.error(`request ${request.id}: the file of attestation ${found.id}`, damage);
      return toAttestationPage(context, found, { damage: damage?.fault, isSigned: signingKeys !== undefined });
    },
  );

  const requireReader = requireRole(dependencies, 'read');
  addAuthenticated(host, `${attestation}/attachment`, requireReader, async (request, reply) => {
    const path = validatePath<typeof attestationPath>(attestationPath, request.params);
    const { id, attachment } = await requireAttestation(path);
    if (attachment === undefined) throw new ApiError(notInTrail, { values: path });
    const { removal } = attachment;
    if (removal !== undefined)
      throw new ApiError(attachmentRemoved, { values: { ...removal, at: new Date(removal.at * 1000).toISOString() } });
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

  addAuthenticated(host, `${attestation}/statement`, requireReader, async (request, reply) => {
    const path = validatePath<typeof attestationPath>(attestationPath, request.params);
    const found = await requireAttestation(path);
    const { bytes } = await createStatement(dependencies, found);
    const disposition = `attachment; filename="${found.id}.sigstore.json"`;
    return reply.type(bundleMediaType).header('content-disposition', disposition).send(bytes);
  });
}

/** Checks the file of an attestation; returns undefined if it is intact or there is none. */
async function findDamage(
  attachments: AttachmentStore,
  attachment: Attachment | undefined,
): Promise<DamagedAttachmentError | undefined> {
  try {
    if (attachment !== undefined && attachment.removal === undefined) await attachments.verify(attachment);
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

/**
 * @param damage what is wrong with the stored file, if anything
 * @param isSigned whether the service can sign statements
 */
function toAttestationPage(
  context: PageContext,
  attestation: Attestation,
  { damage, isSigned }: { readonly damage: AttachmentFault | undefined; readonly isSigned: boolean },
): Page {
  const { org, flow, trail, type, id, name, verdict, document } = attestation;
  const { paths } = context;
  const { facts, content } = renderKind(context, attestation);
  return {
    title: name,
    kind: 'Attestation',
    section: 'flows',
    crumbs: [
      { name: 'Flows', path: paths.flows(org) },
      { name: flow, path: paths.flow(org, flow) },
      { name: trail, path: paths.trail(org, flow, trail) },
    ],
    api: [apiRequest(findAttestationById, { org }, { attestation_id: id })],
    status: damage === undefined ? 200 : 500,
    content: html`${renderResult(verdict, toSentence(clip(describeEvidence(attestation))))}
    ${renderFacts([
      ['Kind', type],
      ...commonFacts(context, attestation),
      ['Signed statement', isSigned ? pageLink(paths.statement(org, flow, trail, id), 'Sigstore bundle') : undefined],
      ...facts,
    ])}
    ${renderProven(document.proven)} ${renderAttachment(context, attestation, damage)} ${content}
    ${renderUserData(document.user_data)}`,
  };
}

function commonFacts(
  context: PageContext,
  { org, flow, trail, createdAt, reportedBy, countsFor, document }: Attestation,
): readonly (readonly [string, Html | string | undefined])[] {
  const { paths } = context;
  const { git_commit_info: commit, artifact_fingerprint: fingerprint, target_artifacts: targets = [] } = document;
  const { override } = document;
  return [
    ['Trail', pageLink(paths.trail(org, flow, trail), trail)],
    [
      'Artifact',
      fingerprint === undefined ? undefined : pageLink(paths.artifact(org, flow, fingerprint), renderHash(fingerprint)),
    ],
    ['Artifacts of the template', targets.join(', ')],
    ['Reported', html`${renderTime(createdAt, context)} by ${reportedBy}`],
    ['Counts for', describeCountsFor(countsFor)],
    [
      'Override',
      override === undefined
        ? undefined
        : renderOverride(paths.attestation(org, flow, trail, override.attestation_id), override),
    ],
    ['Description', document.description],
    ['Commit', commit === undefined ? undefined : link(commit.url, commit.sha1)],
    ['Commit message', commit?.message],
    ['Origin', renderAddress(document.origin_url)],
    ['Links', renderExternalLinks(document.external_urls)],
    ['Remarks', renderAnnotations(document.annotations)],
  ];
}

function renderOverride(path: string, { was_compliant: wasCompliant, by, reason, until }: OverrideMark): Html {
  const original = pageLink(path, `the original, ${wasCompliant ? 'compliant' : 'not compliant'}`);
  return html`by ${by}${until === undefined ? '' : ` until ${until}`}, instead of ${original}: ${clip(reason, 2000)}`;
}

function renderAttachment(
  context: PageContext,
  { org, flow, trail, id, attachment }: Attestation,
  damage: AttachmentFault | undefined,
): Html | undefined {
  if (attachment === undefined) return undefined;
  const { filename, size, digest, removal } = attachment;
  if (removal !== undefined)
    return html`<h2>Attachment</h2>
      <p>
        ${filename}, ${size} bytes, SHA-256 <code>${digest}</code>. <strong>Removed</strong>
        ${renderTime(removal.at, context)} by ${removal.by}: ${clip(removal.reason, 2000)}
      </p>`;
  return html`<h2>Attachment</h2>
    <p>
      ${pageLink(context.paths.attachment(org, flow, trail, id), filename)}, ${size} bytes, SHA-256
      <code>${digest}</code>${
        damage === undefined ? undefined : html`. <strong class="error">Error: the file is ${damage}.</strong>`
      }
    </p>`;
}
