import type { GitCommitInfo } from '../../contract/commit.ts';
import type { AttestationStatus, TrailEvent, TrailResponse } from '../../contract/trail-reading.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import type { EvidenceStatus } from '../artifact/artifact-state.ts';
import type { CountedAttestation } from '../attestation/attestation.ts';
import { evidenceName, listTargetArtifacts } from '../attestation/evidence-scope.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';
import { locateReasons } from '../attestation/reasons.ts';
import type { Links } from '../platform/links.ts';
import { toTemplateResponse } from '../template/template-response.ts';
import type { AttestationWithSubject, TrailDetails, TrailHistory } from './trail.ts';
import type { TrailArtifactStatus } from './trail-state.ts';

export function toTrailSummary(
  { trail, judgement }: TrailDetails,
  links: Links,
): Pick<TrailResponse, 'name' | 'flow' | 'description' | 'compliance_state' | 'created_at' | 'html_url'> {
  const { org, flow, name, createdAt, report } = trail;
  return {
    name,
    flow,
    description: report.description ?? '',
    compliance_state: judgement.state,
    created_at: createdAt,
    html_url: links.pages.trail(org, flow, name),
  };
}

export function toTrailResponse(details: TrailDetails, history: TrailHistory, links: Links): TrailResponse {
  const { trail, applied, judgement } = details;
  const { report } = trail;
  const { origin_url, repo_info, external_urls, proven } = report;
  const located = locateReasons(judgement.reasons, { flow: trail.flow, trail: trail.name });
  const latest = [history.artifacts[0]?.createdAt ?? 0, history.attestations[0]?.createdAt ?? 0];
  return {
    ...toTrailSummary(details, links),
    state_info: judgement.info,
    reasons: toReasonResponses(located, trail.org, links),
    last_modified_at: Math.max(trail.lastModifiedAt, ...latest),
    ...omitUndefined({ origin_url, repo_info, external_urls, proven }),
    ...(report.git_commit_info === undefined ? {} : { git_commit_info: toCommitResponse(report.git_commit_info) }),
    user_data: report.user_data ?? {},
    template: toTemplateResponse(applied.template),
    compliance_status: {
      status: judgement.state,
      is_compliant: judgement.state === 'COMPLIANT',
      attestations_statuses: judgement.evidence.map(toAttestationStatus),
      // With `fromEntries`, because an artifact can be named `__proto__`.
      artifacts_statuses: Object.fromEntries(
        [...selectByName(judgement.artifacts)].map(([artifact, status]) => [artifact, toArtifactStatus(status)]),
      ),
    },
    events: toEvents(details, history),
  };
}

/** The public client requires the time and the texts of a commit. */
export function toCommitResponse(commit: GitCommitInfo): NonNullable<TrailResponse['git_commit_info']> {
  const { sha1, author = '', message = '', branch = '', timestamp = 0, url } = commit;
  return { sha1, author, message, branch, timestamp, ...omitUndefined({ url }) };
}

/** Converts evidence that is required, reported, or both. */
export function toAttestationStatus({
  name,
  type,
  isRequired,
  evidence,
}: EvidenceStatus<CountedAttestation>): AttestationStatus {
  return {
    attestation_name: name,
    attestation_type: evidence?.type ?? type,
    ...(evidence === undefined ? {} : { attestation_id: evidence.id }),
    status: evidence === undefined ? 'MISSING' : 'COMPLETE',
    is_compliant: evidence?.verdict === 'compliant',
    unexpected: !isRequired,
  };
}

/** One for each name: that of the template, if a file has the same name. */
function selectByName<Status extends Pick<TrailArtifactStatus, 'artifact' | 'isRequired'>>(
  statuses: readonly Status[],
): ReadonlyMap<string, Status> {
  const byName = new Map<string, Status>();
  for (const status of statuses) {
    if (byName.get(status.artifact.name)?.isRequired !== true) byName.set(status.artifact.name, status);
  }
  return byName;
}

function toArtifactStatus({
  artifact: { reported },
  state,
  isRequired,
  evidence,
}: TrailArtifactStatus<CountedAttestation>): TrailResponse['compliance_status']['artifacts_statuses'][string] {
  const identity =
    reported === undefined ? {} : { artifact_fingerprint: reported.report.fingerprint, artifact_id: reported.id };
  return {
    status: state,
    is_compliant: state === 'COMPLIANT',
    unexpected: !isRequired,
    ...identity,
    attestations_statuses: evidence.map(toAttestationStatus),
  };
}

/** The events of a trail, oldest first. */
function toEvents({ trail }: TrailDetails, history: TrailHistory): TrailEvent[] {
  const { report, createdAt } = trail;
  const begun = { type: 'trail_reported', timestamp: createdAt, ...toCommit(report.git_commit_info) };
  const updates = history.updates.map(({ at, commit }) => ({
    type: 'trail_updated',
    timestamp: at,
    ...toCommit(commit),
  }));
  const names = new Map(history.artifacts.map((artifact) => [artifact.report.fingerprint, toArtifactName(artifact)]));
  const artifacts = history.artifacts.flatMap((artifact) => [toArtifactEvent(artifact), ...toRuns(artifact, history)]);
  const attestations = history.attestations.flatMap((attestation) => toAttestationEvents(attestation, names));
  const all = [...updates.toReversed(), ...artifacts, ...attestations.toReversed()];
  return [begun, ...all.sort((one, other) => one.timestamp - other.timestamp)];
}

function toCommit(commit: AttestationWithSubject['commit']): Pick<TrailEvent, 'git_commit_info'> {
  if (commit === undefined) return {};
  const { sha1, url } = commit;
  return { git_commit_info: omitUndefined({ sha1, url }) };
}

function toArtifactName({ report }: ReportedArtifact): string {
  return report.template_reference_name ?? report.filename;
}

function toArtifactEvent(artifact: ReportedArtifact): TrailEvent {
  const { createdAt, report } = artifact;
  return {
    type: 'artifact_creation_reported',
    timestamp: createdAt,
    artifact_name: report.filename,
    artifact_fingerprint: report.fingerprint,
    template_reference_name: toArtifactName(artifact),
    ...toCommit({ sha1: report.git_commit, url: report.commit_url }),
  };
}

/** When an artifact started and stopped to run. Of several reports of it, only the first returns them. */
function toRuns(artifact: ReportedArtifact, { artifacts, appearances }: TrailHistory): readonly TrailEvent[] {
  const { fingerprint } = artifact.report;
  if (artifacts.find(({ report }) => report.fingerprint === fingerprint) !== artifact) return [];
  const about = { template_reference_name: toArtifactName(artifact), artifact_fingerprint: fingerprint };
  return (appearances.get(fingerprint) ?? []).flatMap(({ environment, started, startedAt, last, exitedAt }) => {
    const place = { ...about, environment_name: environment };
    return [
      { type: 'artifact_started_running', timestamp: startedAt, ...place, snapshot_index: started },
      ...(exitedAt === undefined
        ? []
        : [{ type: 'artifact_stopped_running', timestamp: exitedAt, ...place, snapshot_index: last + 1 }]),
    ];
  });
}

/** One event; one for each artifact if the attestation names artifacts of the template. */
function toAttestationEvents(
  attestation: AttestationWithSubject,
  artifactNames: ReadonlyMap<string, string>,
): readonly TrailEvent[] {
  const { id, name, type, verdict, createdAt, fingerprint, targets, commit } = attestation;
  const event = {
    timestamp: createdAt,
    attestation_id: id,
    attestation_type: type,
    template_reference_name: evidenceName(name),
    is_compliant: verdict === 'compliant',
    ...toCommit(commit),
  };
  if (fingerprint !== undefined) {
    const target = artifactNames.get(fingerprint) ?? fingerprint;
    const about = { target_artifact: target, artifact_fingerprint: fingerprint };
    return [{ ...event, type: 'artifact_attestation_reported', ...about }];
  }
  const all = listTargetArtifacts({ attestation_name: name, target_artifacts: targets });
  if (all.length === 0) return [{ ...event, type: 'trail_attestation_reported' }];
  return all.map((target) => ({
    ...event,
    type: 'trail_attestation_for_artifact_reported',
    target_artifact: target,
  }));
}
