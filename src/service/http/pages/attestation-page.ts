import { ignoredConditionsNote, type SonarAttestation } from '../../../contract/attestations/sonar.ts';
import { isOfKind, type Attestation } from '../../domain/records.ts';
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
  const { org, flow, trail, type, id, verdict, reason, createdAt, reportedBy, document, attachment } = attestation;
  const file =
    attachment === undefined
      ? undefined
      : html`${link(links.attachment(org, flow, trail, id), attachment.filename)}, ${attachment.size} bytes, SHA-256
        ${attachment.digest}${damage === undefined ? '' : html`. <strong>Error: the file is ${damage}.</strong>`}`;
  const { facts, content } = renderKind(attestation);
  return html`
    <p><strong>${verdict}</strong>: ${reason}.</p>
    ${renderFacts([
      ['Organization', org],
      ['Flow', flow],
      ['Trail', link(links.trailPage(org, flow, trail), trail)],
      ['Kind', type],
      ['Reported', `${renderTime(createdAt)} by ${reportedBy}`],
      ['Commit', link(document.git_commit_info?.url, document.git_commit_info?.sha1 ?? '')],
      ...facts,
      ['File', file],
    ])}
    ${content}
  `;
}

/** What only one kind of attestation shows. */
interface KindContent {
  readonly facts: readonly (readonly [name: string, fact: Html | string | undefined])[];
  readonly content: Html;
}

function renderKind(attestation: Attestation): KindContent {
  if (isOfKind(attestation, 'sonar')) return renderSonar(attestation.document);
  if (isOfKind(attestation, 'junit')) {
    const rows = attestation.document.junit_results.map(({ name, total, failures, errors, skipped }) => [
      ...[name, total, failures, errors, skipped].map(String),
    ]);
    return {
      facts: [],
      content: renderTable('Test suites', ['Suite', 'Tests', 'Failures', 'Errors', 'Skipped'], rows),
    };
  }
  if (isOfKind(attestation, 'pull_request')) {
    const rows = attestation.document.pull_requests.map(({ url, state, author = '', approvers }) => [
      link(url, url),
      state,
      author,
      approvers.map((approver) => (typeof approver === 'string' ? approver : approver.username)).join(', '),
    ]);
    return { facts: [], content: renderTable('Pull requests', ['Pull request', 'State', 'Author', 'Approvers'], rows) };
  }
  return { facts: [], content: html`` };
}

function renderSonar(document: SonarAttestation): KindContent {
  const { project, qualityGate, analysedAt, revision } = document.sonar_results;
  const doubt = revisionDoubt(document);
  const conditions = qualityGate.conditions.map(
    ({ metric, operator = '', errorThreshold = '', value = '', status }) => [
      metric,
      status,
      `${operator} ${errorThreshold}`,
      value,
    ],
  );
  return {
    facts: [
      ['Project', link(project.url, project.name ?? project.key)],
      ['Analysed', analysedAt],
      ['Revision', revision],
      ['Revision check', doubt === undefined ? undefined : html`<strong>revision not verified</strong>: ${doubt}`],
      ['Quality gate', qualityGate.name],
      ['Ignored conditions', qualityGate.ignoredConditions === true ? ignoredConditionsNote : undefined],
    ],
    content: renderTable('Conditions', ['Metric', 'Status', 'Fails when', 'Value'], conditions),
  };
}

function renderTable(title: string, columns: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`
    <h2>${title}</h2>
    <table>
      <tr>
        ${columns.map((column) => html`<th>${column}</th>`)}
      </tr>
      ${rows.map(
        (row) => html`
          <tr>
            ${row.map((cell) => html`<td>${cell}</td>`)}
          </tr>
        `,
      )}
    </table>
  `;
}
