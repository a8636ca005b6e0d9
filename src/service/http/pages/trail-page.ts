import type { TrailDetails } from '../../domain/trail-details.ts';
import type { Links } from '../../domain/links.ts';
import { html, link, type Html } from './html.ts';
import { renderFacts, renderTime } from './layout.ts';

/** Renders the state of a trail, and what was reported to it, newest first. */
export function renderTrail(details: TrailDetails, links: Links): Html {
  const { trail, applied, judgement, artifacts, attestations } = details;
  const { org, flow, name, createdAt, report } = trail;
  const commit = report.git_commit_info;
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
    <p><strong>${judgement.state}</strong>. ${judgement.info}</p>
    ${renderFacts([
      ['Organization', org],
      ['Flow', flow],
      ['Description', report.description],
      ['Commit', commit === undefined ? undefined : link(commit.url ?? '', commit.sha1)],
      ['Commit message', commit?.message],
      ['Author', commit?.author],
      ['Template', `of the ${applied.owner}`],
      ['Artifacts', judgement.artifacts.map(({ artifact, state }) => `${artifact.name}: ${state}`).join(', ')],
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
