import type { Artifact } from '../../contract/artifact.ts';
import { judge, type Judgement } from '../domain/artifact-state.ts';
import { evidenceName } from '../domain/binding.ts';
import type { ArtifactDossier, AttestationSummary } from '../domain/records.ts';
import { requiredEvidence } from '../domain/template.ts';
import type { Links } from './links.ts';

/** The state of the artifact of a dossier, by what counts for it now and what its flow asks for now. */
export function judgeDossier({ flow, evidence }: ArtifactDossier): Judgement {
  const pieces = evidence.map(({ name, verdict, reason }) => ({ name: evidenceName(name), verdict, reason }));
  return judge(requiredEvidence(flow.template), pieces);
}

/** The artifact as operation 10 answers it. */
export function artifactAnswer(dossier: ArtifactDossier, links: Links): Artifact {
  const { flow, artifact, evidence } = dossier;
  const { org, id, createdAt, report } = artifact;
  const { state, info } = judgeDossier(dossier);
  const lastModified = Math.max(createdAt, ...evidence.map((attestation) => attestation.createdAt));
  return {
    id,
    fingerprint: report.fingerprint,
    filename: report.filename,
    created_at: String(createdAt),
    last_modified_at: String(lastModified),
    flow_name: flow.name,
    trail_name: report.trail_name,
    template_reference_name: report.template_reference_name ?? null,
    git_commit: report.git_commit,
    git_commit_info: report.git_commit_info ?? null,
    repo_info: report.repo_info ?? null,
    commit_url: report.commit_url,
    build_url: report.build_url,
    repo_url: report.repo_url ?? report.repo_info?.url ?? null,
    html_url: links.artifactPage(org, flow.name, report.fingerprint, id),
    api_url: links.artifactAnswer(org, flow.name, report.fingerprint, id),
    // Through fromEntries, because an attestation can be called `__proto__`.
    evidence: Object.fromEntries(evidence.map((piece) => [evidenceName(piece.name), evidenceAnswer(piece, links)])),
    commit_lead_times: {},
    build_lead_times: {},
    external_urls: report.external_urls ?? {},
    annotations: report.annotations ?? {},
    user_data: report.user_data ?? null,
    state,
    state_info: info,
    template: [...flow.template],
    running: [],
    exited: [],
    history: historyAnswer(dossier),
  };
}

/** A piece of evidence; the interface shows no inner structure, so its fields are named as those of an attestation. */
function evidenceAnswer(attestation: AttestationSummary, links: Links): Readonly<Record<string, unknown>> {
  const { org, flow, trail, id, name, type, verdict, reason, createdAt, reportedBy, attachment } = attestation;
  return {
    attestation_id: id,
    attestation_name: name,
    attestation_type: type,
    trail_name: trail,
    is_compliant: verdict === 'compliant',
    status: verdict,
    status_info: reason,
    created_at: createdAt,
    reported_by: reportedBy,
    has_attachment: attachment !== undefined,
    html_url: links.attestationPage(org, flow, trail, id),
  };
}

/** What happened to the artifact, oldest first; at one moment the artifact comes before its attestations. */
function historyAnswer({ artifact, history }: ArtifactDossier): { event: string; timestamp: number }[] {
  const reported = { event: `Artifact reported by ${artifact.reportedBy}`, timestamp: artifact.createdAt };
  const attested = history.toReversed().map(({ name, type, verdict, reason, reportedBy, createdAt }) => ({
    event: `${type} attestation ${name} reported by ${reportedBy}: ${verdict}, ${reason}`,
    timestamp: createdAt,
  }));
  return [reported, ...attested].sort((one, other) => one.timestamp - other.timestamp);
}
