import type { Artifact } from '../../contract/artifact.ts';
import type { ArtifactReport } from '../../contract/artifact-report.ts';
import { artifactItem } from '../../contract/template.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import type { AttestationSummary } from '../attestation/attestation.ts';
import { evidenceName } from '../attestation/evidence-scope.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';
import { calculateLeadTimes } from '../flow/lead-times.ts';
import type { Links } from '../platform/links.ts';
import { mergeByTime } from '../platform/time-series.ts';
import {
  allRequirements,
  artifactRequirements,
  isListTemplate,
  type TemplateRequirement,
} from '../template/template.ts';
import type { Appearance, ArtifactDetails } from './artifact.ts';
import { describeEvidence, judgeArtifact, locateArtifactReasons } from './artifact-state.ts';

export function toArtifactResponse(details: ArtifactDetails, links: Links): Artifact {
  const { artifact, evidence, appearances, firstStarts } = details;
  const { org, flow, id, createdAt, report } = artifact;
  const { state, info, reasons } = judgeArtifact(details);
  const located = locateArtifactReasons(reasons, details);
  const lastModified = Math.max(createdAt, evidence.at(-1)?.createdAt ?? createdAt);
  return {
    id,
    fingerprint: report.fingerprint,
    filename: report.filename,
    created_at: String(createdAt),
    last_modified_at: String(lastModified),
    flow_name: flow,
    trail_name: report.trail_name,
    ...optionalFields(report),
    git_commit: report.git_commit,
    commit_url: report.commit_url,
    build_url: report.build_url,
    html_url: links.pages.artifact(org, flow, report.fingerprint, id),
    api_url: links.artifactApi(org, flow, report.fingerprint, id),
    // With `fromEntries`, because an attestation can be named `__proto__`.
    evidence: Object.fromEntries(evidenceKeys(evidence).map(([key, piece]) => [key, toEvidenceResponse(piece, links)])),
    commit_lead_times: calculateLeadTimes(report.git_commit_info?.timestamp, firstStarts),
    build_lead_times: calculateLeadTimes(createdAt, firstStarts),
    external_urls: report.external_urls ?? {},
    annotations: report.annotations ?? {},
    user_data: report.user_data ?? null,
    ...(report.proven === undefined ? {} : { proven: report.proven }),
    state,
    state_info: info,
    reasons: toReasonResponses(located, org, links),
    template: listTemplate(details),
    running: appearances.filter(({ exitedAt }) => exitedAt === undefined).map(toAppearanceResponse),
    exited: appearances.filter(({ exitedAt }) => exitedAt !== undefined).map(toAppearanceResponse),
    history: toHistoryResponse(details),
  };
}

/**
 * The evidence by its name in the template. A template file can require the same name of the trail and of the artifact;
 * that of the trail is then called `trail/unit`.
 */
function evidenceKeys(
  evidence: ArtifactDetails['evidence'],
): readonly (readonly [string, ArtifactDetails['evidence'][number]])[] {
  const own = new Set(evidence.filter(({ level }) => level === 'artifact').map(({ name }) => evidenceName(name)));
  return evidence.map((piece) => [toKey(piece.level, evidenceName(piece.name), own), piece]);
}

function toKey(level: TemplateRequirement['level'], name: string, own: ReadonlySet<string>): string {
  return level === 'trail' && own.has(name) ? `trail/${name}` : name;
}

/** The template as the interface shows it, a list of names: in a file, those that the artifact itself requires. */
function listTemplate({ applied: { template }, artifact: { report } }: ArtifactDetails): string[] {
  if (isListTemplate(template)) return [...template];
  const { template_reference_name: reference } = report;
  const own = new Set(artifactRequirements(template, reference).map(({ name }) => name));
  return [artifactItem, ...allRequirements(template, reference).map(({ level, name }) => toKey(level, name, own))];
}

/** The optional fields of a report. They are omitted from the response if absent, because none of them may be null. */
function optionalFields(
  report: ArtifactReport,
): Pick<Artifact, 'template_reference_name' | 'git_commit_info' | 'repo_info' | 'repo_url'> {
  const { template_reference_name, git_commit_info, repo_info, repo_url = repo_info?.url } = report;
  return omitUndefined({ template_reference_name, git_commit_info, repo_info, repo_url });
}

/** The interface does not show the structure of evidence, so its fields are named like those of an attestation. */
function toEvidenceResponse(attestation: AttestationSummary, links: Links): Readonly<Record<string, unknown>> {
  const { org, flow, trail, id, name, type, verdict, createdAt, reportedBy, attachment } = attestation;
  return {
    attestation_id: id,
    attestation_name: name,
    attestation_type: type,
    trail_name: trail,
    is_compliant: verdict === 'compliant',
    status: verdict,
    status_info: describeEvidence(attestation),
    created_at: createdAt,
    reported_by: reportedBy,
    has_attachment: attachment !== undefined,
    html_url: links.pages.attestation(org, flow, trail, id),
  };
}

function describeAttestation(attestation: AttestationSummary): string {
  const { name, type, verdict, reportedBy } = attestation;
  return `${type} attestation ${name} reported by ${reportedBy}: ${verdict}, ${describeEvidence(attestation)}`;
}

/** The environment with the last snapshot that contains the artifact. */
function toAppearanceResponse({ environment, last }: Appearance): { environment_name: string; snapshot_index: number } {
  return { environment_name: environment, snapshot_index: last };
}

/**
 * The history of the artifact, oldest first; at equal times, the report comes first. Attestations, and snapshots of one
 * environment, are in the order of recording, even if the clock was set back.
 */
function toHistoryResponse(details: ArtifactDetails): { event: string; timestamp: number }[] {
  const { artifact, history, appearances } = details;
  const { template_reference_name: name = artifact.report.filename } = artifact.report;
  const reported = { event: `${name} reported`, timestamp: artifact.createdAt };
  const attested = history.toReversed().map((attestation) => ({
    event: describeAttestation(attestation),
    timestamp: attestation.createdAt,
  }));
  const environments = [...new Set(appearances.map(({ environment }) => environment))];
  const deployed = environments.map((wanted) =>
    appearances
      .filter(({ environment }) => environment === wanted)
      .sort((one, other) => one.started - other.started)
      .flatMap(({ environment, started, startedAt, last, exitedAt }) => [
        { event: `Started to run in ${environment}, snapshot ${started}`, timestamp: startedAt },
        ...(exitedAt === undefined
          ? []
          : [{ event: `No longer runs in ${environment}, snapshot ${last + 1}`, timestamp: exitedAt }]),
      ]),
  );
  return [...mergeByTime([[reported], attested, ...deployed])];
}
