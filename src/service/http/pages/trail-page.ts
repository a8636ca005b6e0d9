import type { TrailDossier } from '../../domain/records.ts';
import type { Links } from '../../domain/links.ts';
import { html, link, type Html } from './html.ts';
import { facts, moment } from './layout.ts';

/** What was reported to a trail, newest first. */
export function trailContent({ trail, artifacts, attestations }: TrailDossier, links: Links): Html {
  const { org, flow, name, createdAt } = trail;
  const artifactItems = artifacts.map(({ id, createdAt: reportedAt, report }) => {
    const page = links.artifactPage(org, flow, report.fingerprint, id);
    return html`<li>${link(page, report.filename)} ${report.fingerprint} ${moment(reportedAt)}</li>`;
  });
  const attestationItems = attestations.map((attestation) => {
    const page = links.attestationPage(org, flow, name, attestation.id);
    const words = `${attestation.verdict}, ${attestation.reason}, ${moment(attestation.createdAt)}`;
    return html`<li>${link(page, attestation.name)} ${words}</li>`;
  });
  return html`
    ${facts([
      ['Organization', org],
      ['Flow', flow],
      ['Begun', moment(createdAt)],
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
