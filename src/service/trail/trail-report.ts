import type { ArtifactReport } from '../../contract/artifact-report.ts';
import type { AttestationDocument } from '../../contract/attestations/kinds.ts';
import type { TrailReport } from '../../contract/trail.ts';
import type { Recorded } from '../login/recorded.ts';

/** The report of a trail that an attestation begins: the commit and the run of the attestation. */
export function fromAttestation({
  git_commit_info: commit,
  repo_info: repository,
  origin_url: origin,
  proven,
}: Recorded<AttestationDocument>): Recorded<TrailReport> {
  return {
    ...(commit === undefined ? {} : { git_commit_info: commit }),
    ...(repository === undefined ? {} : { repo_info: repository }),
    ...(origin === undefined ? {} : { origin_url: origin }),
    proven,
  };
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
