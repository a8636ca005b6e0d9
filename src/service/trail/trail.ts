import type { ArtifactReport } from '../../contract/artifact-report.ts';
import type { AttestationDocument } from '../../contract/attestations/kinds.ts';
import type { TrailReport } from '../../contract/trail.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import type { Appearance, ReportedArtifact } from '../artifact/artifact.ts';
import type { AttestationSummary, CountedAttestation } from '../attestation/attestation.ts';
import type { Recorded } from '../login/recorded.ts';
import type { TrailIdentity } from '../requirement/recorder.ts';
import type { AppliedTemplate } from '../template/template.ts';
import type { TrailJudgement } from './trail-state.ts';

export interface TrailReference {
  readonly org: string;
  readonly flow: string;
  readonly name: string;
}

/** What changed: an artifact, a trail, a flow, or anything in the organization. */
export type ChangedSubject = { readonly org: string } & (
  { readonly fingerprint: string } | { readonly flow: string; readonly trail?: string } | { readonly flow?: never }
);

/** A trail: a unit of work in a flow, usually one commit. Created when it is begun, or by the first report to it. */
export interface Trail extends TrailReference {
  readonly createdAt: number;
  /** When it was last begun or updated. */
  readonly lastModifiedAt: number;
  /**
   * The merged reports that began and updated the trail, with what the token of the latest sender proved. If the report
   * of an artifact or an attestation began it, the commit and the run of that report (`fromAttestation`, `fromArtifactReport`).
   */
  readonly report: Recorded<TrailReport>;
  /** Whether a key that counts for any environment began or updated it. */
  readonly counts?: boolean;
  /** The saved state, and when it began, in Unix seconds, if that is known. */
  readonly lastVerdict?: { readonly state: string | undefined; readonly since: number | undefined };
}

/** What a trail is about: the commit that it was begun for, else its name, which is one by default; and its repository. */
export function toTrailIdentity({ name, report }: Pick<Trail, 'name' | 'report'>): TrailIdentity {
  const { git_commit_info: commit, repo_info: repository, proven } = report;
  return { commit: commit?.sha1 ?? name, repository: repository?.id ?? proven?.repository_id };
}

export interface TrailUpdate {
  readonly at: number;
  readonly commit: AttestationWithSubject['commit'];
}

/** A trail with its state. */
export interface TrailDetails {
  readonly trail: Trail;
  readonly applied: AppliedTemplate;
  readonly judgement: TrailJudgement<CountedAttestation>;
  /** When its state began, in Unix seconds; undefined if unknown. */
  readonly since: number | undefined;
}

/** An attestation with the fields of its document that say what it is about. */
export interface AttestationWithSubject extends AttestationSummary {
  readonly fingerprint: string | undefined;
  /** The artifacts of the template. */
  readonly targets: readonly string[];
  readonly commit: { readonly sha1: string; readonly url?: string | undefined } | undefined;
}

/** The latest events of a trail; each list newest first, truncated if it is long. */
export interface TrailHistory {
  readonly updates: readonly TrailUpdate[];
  readonly artifacts: readonly ReportedArtifact[];
  readonly attestations: readonly AttestationWithSubject[];
  /** Where the artifacts run or ran, by fingerprint. */
  readonly appearances: ReadonlyMap<string, readonly Appearance[]>;
}

/** The report of a trail that an attestation begins: the commit and the run of the attestation. */
export function fromAttestation({
  git_commit_info,
  repo_info,
  origin_url,
  proven,
}: Recorded<AttestationDocument>): Recorded<TrailReport> {
  return { ...omitUndefined({ git_commit_info, repo_info, origin_url }), proven };
}

/** The report of a trail that the report of an artifact begins: the commit and the build of the artifact. */
export function fromArtifactReport(report: Recorded<ArtifactReport>): Recorded<TrailReport> {
  const { git_commit: sha1, git_commit_info, commit_url: url, repo_info: repository, build_url, proven } = report;
  return {
    git_commit_info: { ...(url === '' ? {} : { url }), ...git_commit_info, sha1 },
    ...(repository === undefined ? {} : { repo_info: repository }),
    ...(build_url === '' ? {} : { origin_url: build_url }),
    proven,
  };
}
