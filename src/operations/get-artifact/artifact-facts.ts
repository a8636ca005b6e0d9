import type { Artifact } from '../../contract/artifact.ts';
import { commitFacts } from '../commit-facts.ts';
import { code, type Fact, fact } from '../report.ts';

export interface ArtifactCommit {
  readonly sha: string;
  readonly url: string | undefined;
}

/** The commit of an artifact; undefined if the service names none. */
export function artifactCommit(artifact: Artifact | undefined): ArtifactCommit | undefined {
  const sha = artifact?.git_commit ?? artifact?.git_commit_info?.sha1 ?? '';
  return sha === '' ? undefined : { sha, url: artifact?.commit_url ?? artifact?.git_commit_info?.url };
}

export function artifactFacts(artifact: Artifact, flow: string): readonly Fact[] {
  const commit = artifactCommit(artifact);
  return [
    ...fact('Artifact', artifact.filename, artifact.html_url),
    { label: 'Fingerprint', value: code(artifact.fingerprint) },
    ...fact('Flow', flow),
    ...fact('Trail', artifact.trail_name),
    ...commitFacts({ ...artifact.git_commit_info, sha1: commit?.sha, url: commit?.url }),
    ...fact('Branch', artifact.git_commit_info?.branch),
    ...fact('Build', artifact.build_url, artifact.build_url),
  ];
}
