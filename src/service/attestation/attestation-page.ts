import { findAttestationById } from '../../contract/attestation-lookup.ts';
import { describeEvidence } from '../artifact/artifact-state.ts';
import type { Attestation } from './attestation.ts';
import type { AttachmentFault } from '../platform/attachments/attachments.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import { renderKind } from './attestation-kind-html.ts';
import {
  clip,
  describeCountsFor,
  pageLink,
  renderFacts,
  renderHash,
  renderResult,
  renderTime,
} from '../platform/pages/components.ts';
import { html, link, type Html } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { renderProven } from '../login/proven-html.ts';
import { renderAddress, renderAnnotations, renderExternalLinks, renderUserData } from './reported-data-html.ts';

/**
 * Creates the page of an attestation: its verdict and why, and what its kind shows.
 *
 * @param damage what is wrong with the stored file, if anything
 */
export function toAttestationPage(context: PageContext, attestation: Attestation, damage?: AttachmentFault): Page {
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
    content: html`${renderResult(verdict, html`${clip(describeEvidence(attestation))}.`)}
    ${renderFacts([['Kind', type], ...commonFacts(context, attestation), ...facts])} ${renderProven(document.proven)}
    ${renderAttachment(context, attestation, damage)} ${content} ${renderUserData(document.user_data)}`,
  };
}

function commonFacts(
  context: PageContext,
  { org, flow, trail, createdAt, reportedBy, countsFor, document }: Attestation,
): readonly (readonly [string, Html | string | undefined])[] {
  const { paths } = context;
  const { git_commit_info: commit, artifact_fingerprint: fingerprint, target_artifacts: targets = [] } = document;
  return [
    ['Trail', pageLink(paths.trail(org, flow, trail), trail)],
    [
      'Artifact',
      fingerprint === undefined ? undefined : pageLink(paths.artifact(org, flow, fingerprint), renderHash(fingerprint)),
    ],
    ['Artifacts of the template', targets.join(', ')],
    ['Reported', html`${renderTime(createdAt, context)} by ${reportedBy}`],
    ['Counts for', describeCountsFor(countsFor)],
    ['Description', document.description],
    ['Commit', commit === undefined ? undefined : link(commit.url, commit.sha1)],
    ['Commit message', commit?.message],
    ['Origin', renderAddress(document.origin_url)],
    ['Links', renderExternalLinks(document.external_urls)],
    ['Remarks', renderAnnotations(document.annotations)],
  ];
}

function renderAttachment(
  { paths }: PageContext,
  { org, flow, trail, id, attachment }: Attestation,
  damage: AttachmentFault | undefined,
): Html | undefined {
  if (attachment === undefined) return undefined;
  const { filename, size, digest } = attachment;
  return html`<h2>Attachment</h2>
    <p>
      ${pageLink(paths.attachment(org, flow, trail, id), filename)}, ${size} bytes, SHA-256 <code>${digest}</code>${
        damage === undefined ? undefined : html`. <strong class="error">Error: the file is ${damage}.</strong>`
      }
    </p>`;
}
