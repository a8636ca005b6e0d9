import type { Artifact } from '../../contract/artifact.ts';
import { snapshotCompliance } from '../latest-snapshot.ts';
import { code, complianceLabel, fact, type Fact } from '../report.ts';
import type { Standing } from './environment-standing.ts';
import type { EnvironmentLookup } from './lookup.ts';

/** The commit that an artifact was built from. */
export interface ArtifactCommit {
  readonly sha: string;
  readonly url: string | undefined;
}

/** The commit of an artifact; undefined if the service names none. */
export function artifactCommit(artifact: Artifact | undefined): ArtifactCommit | undefined {
  const sha = artifact?.git_commit ?? artifact?.git_commit_info?.sha1 ?? '';
  return sha === '' ? undefined : { sha, url: artifact?.commit_url ?? artifact?.git_commit_info?.url };
}

/** The facts of one artifact. */
export function artifactFacts(artifact: Artifact, flow: string): readonly Fact[] {
  const commit = artifactCommit(artifact);
  const { message, author, branch } = artifact.git_commit_info ?? {};
  return [
    ...fact('Artifact', artifact.filename, artifact.html_url),
    { label: 'Fingerprint', value: code(artifact.fingerprint) },
    ...fact('Flow', flow),
    ...fact('Trail', artifact.trail_name),
    ...fact('Commit', commit?.sha, commit?.url),
    ...fact('Commit message', message?.split('\n')[0]),
    ...fact('Author', author),
    ...fact('Branch', branch),
    ...fact('Build', artifact.build_url, artifact.build_url),
  ];
}

/** The facts of the environment; none if no environment was asked about. */
export function environmentFacts(environment: EnvironmentLookup | undefined): readonly Fact[] {
  if (environment === undefined) return [];
  const { name, settled } = environment;
  if (settled.failure !== undefined)
    return [...fact('Environment', name), ...fact('Snapshot', settled.failure.message)];
  const { snapshot } = settled.value;
  return [
    ...fact('Environment', name),
    ...fact('Snapshot', snapshot === undefined ? 'none' : `#${snapshot.index}`),
    ...fact('Snapshot compliant', snapshot === undefined ? undefined : complianceLabel(snapshotCompliance(snapshot))),
  ];
}

/** Whether an artifact runs in the environment, in one word. */
export function runsLabel(standing: Standing | undefined): string {
  if (standing?.runs === undefined) return 'unknown';
  return standing.runs ? 'yes' : 'no';
}
