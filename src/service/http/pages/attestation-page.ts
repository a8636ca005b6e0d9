import { ignoredConditionsNote } from '../../../contract/attestation.ts';
import type { Attestation } from '../../domain/records.ts';
import type { AttachmentFault } from '../../storage/attachments.ts';
import { revisionDoubt } from '../../domain/sonar.ts';
import type { Links } from '../../domain/links.ts';
import { html, link, type Html } from './html.ts';
import { renderFacts, renderTime } from './layout.ts';

/**
 * Renders an attestation.
 *
 * @param damage what is wrong with the stored file, if anything
 */
export function renderAttestation(attestation: Attestation, links: Links, damage?: AttachmentFault): Html {
  const { org, flow, trail, id, verdict, reason, createdAt, reportedBy, document, attachment } = attestation;
  const { project, qualityGate, analysedAt, revision } = document.sonar_results;
  const doubt = revisionDoubt(document);
  const conditions = qualityGate.conditions.map(
    ({ metric, operator = '', errorThreshold = '', value = '', status }) => html`
      <tr>
        <td>${metric}</td>
        <td>${status}</td>
        <td>${operator} ${errorThreshold}</td>
        <td>${value}</td>
      </tr>
    `,
  );
  const file =
    attachment === undefined
      ? undefined
      : html`${link(links.attachment(org, flow, trail, id), attachment.filename)}, ${attachment.size} bytes, SHA-256
        ${attachment.digest}${damage === undefined ? '' : html`. <strong>Error: the file is ${damage}.</strong>`}`;
  return html`
    <p><strong>${verdict}</strong>: ${reason}.</p>
    ${renderFacts([
      ['Organization', org],
      ['Flow', flow],
      ['Trail', link(links.trailPage(org, flow, trail), trail)],
      ['Reported', `${renderTime(createdAt)} by ${reportedBy}`],
      ['Commit', link(document.git_commit_info?.url, document.git_commit_info?.sha1 ?? '')],
      ['Project', link(project.url, project.name ?? project.key)],
      ['Analysed', analysedAt],
      ['Revision', revision],
      ['Revision check', doubt === undefined ? undefined : html`<strong>revision not verified</strong>: ${doubt}`],
      ['Quality gate', qualityGate.name],
      ['Ignored conditions', qualityGate.ignoredConditions === true ? ignoredConditionsNote : undefined],
      ['File', file],
    ])}
    <h2>Conditions</h2>
    <table>
      <tr>
        <th>Metric</th>
        <th>Status</th>
        <th>Fails when</th>
        <th>Value</th>
      </tr>
      ${conditions}
    </table>
  `;
}
