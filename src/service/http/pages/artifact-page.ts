import { evidenceName } from '../../domain/evidence-scope.ts';
import type { ArtifactDetails } from '../../domain/records.ts';
import { compareEvidence, judgeArtifact } from '../../domain/artifact-state.ts';
import { allRequirements, isListTemplate, type Template } from '../../domain/template/template.ts';
import type { Links } from '../../domain/links.ts';
import { html, link, type Html } from './html.ts';
import { renderFacts, renderTime } from './layout.ts';

/** Renders an artifact, the verdict first. */
export function renderArtifact(details: ArtifactDetails, links: Links): Html {
  const { flow, applied, artifact, evidence } = details;
  const { org, createdAt, reportedBy, report } = artifact;
  const { state, info } = judgeArtifact(details);
  const pieces = evidence.map(
    ({ trail, id, name, verdict, reason, createdAt: attestedAt }) => html`
      <tr>
        <td>${link(links.attestationPage(org, flow.name, trail, id), evidenceName(name))}</td>
        <td>${verdict}</td>
        <td>${reason}</td>
        <td>${renderTime(attestedAt)}</td>
      </tr>
    `,
  );
  return html`
    <p><strong>${state}</strong>. ${info}</p>
    ${renderFacts([
      ['Fingerprint', report.fingerprint],
      ['Organization', org],
      ['Flow', flow.name],
      ['Trail', link(links.trailPage(org, flow.name, report.trail_name), report.trail_name)],
      ['Name in the template', report.template_reference_name],
      ['Commit', link(report.commit_url, report.git_commit)],
      ['Commit message', report.git_commit_info?.message],
      ['Author', report.git_commit_info?.author],
      ['Build', link(report.build_url, report.build_url)],
      ['Reported', `${renderTime(createdAt)} by ${reportedBy}`],
      ['Required evidence', describeRequired(applied.template, report.template_reference_name)],
    ])}
    <h2>Evidence</h2>
    <table>
      <tr>
        <th>Name</th>
        <th>Verdict</th>
        <th>Reason</th>
        <th>Reported</th>
      </tr>
      ${pieces}
    </table>
  `;
}

/** What the template requires, as the reason for the state names it. */
function describeRequired(template: Template, reference: string | undefined): string {
  const name = isListTemplate(template) ? undefined : reference;
  const required = compareEvidence(allRequirements(template, reference), [], name);
  return required.map(({ label }) => label).join(', ');
}
