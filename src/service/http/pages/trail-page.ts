import type { TrailDetails } from '../../domain/records.ts';
import type { Links } from '../../domain/links.ts';
import { html, link, type Html } from './html.ts';
import { renderFacts, renderTime } from './layout.ts';

/** Renders what was reported to a trail, newest first. */
export function renderTrail({ trail, artifacts, attestations }: TrailDetails, links: Links): Html {
  const { org, flow, name, createdAt } = trail;
  const artifactItems = artifacts.map(({ id, createdAt: reportedAt, report }) => {
    const page = links.artifactPage(org, flow, report.fingerprint, id);
    return html`<li>${link(page, report.filename)} ${report.fingerprint} ${renderTime(reportedAt)}</li>`;
  });
  const attestationItems = attestations.map((attestation) => {
    const page = links.attestationPage(org, flow, name, attestation.id);
    const words = `${attestation.verdict}, ${attestation.reason}, ${renderTime(attestation.createdAt)}`;
    return html`<li>${link(page, attestation.name)} ${words}</li>`;
  });
  return html`
    ${renderFacts([
      ['Organization', org],
      ['Flow', flow],
      ['Created', renderTime(createdAt)],
    ])}
    <h2>Artifacts</h2>
    <ul>
      ${artifactItems}
    </ul>
    <h2>Attestations</h2>
    <ul>
      ${attestationItems}
    </ul>
  `;
}
