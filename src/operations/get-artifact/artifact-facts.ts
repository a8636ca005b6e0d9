import type { Artifact } from '../../contract/artifact.ts';
import type { Looked } from './parse-verdict.ts';
import type { EnvironmentSighting } from './judge-artifacts.ts';
import type { Standing } from './environment-standing.ts';
import { snapshotCompliance } from '../latest-snapshot.ts';
import { code, complianceLabel, fact, abbreviate, type Fact } from '../report.ts';
import { withoutFullStop } from '../sentence.ts';

/** `Artifact dist/web.tgz 0123456789ab`. */
export function describeArtifact(one: Looked): string {
  const name = one.name ?? one.sighting.value?.artifact.filename;
  return `Artifact ${name === undefined ? '' : `${name} `}${abbreviate(knownFingerprint(one))}`;
}

/** The whole fingerprint where it is known, else what was asked for. */
export function knownFingerprint({ asked, sighting }: Looked): string {
  return sighting.value?.artifact.fingerprint ?? asked.fingerprint;
}

/** The artifact's state and why it is in it, in the service's words, without the full stop. */
export function stateWords(artifact: Artifact): string {
  return [artifact.state ?? '', ...reasonOf(artifact)].join(': ');
}

/** Why the artifact is in its state, in the service's words, without the full stop; empty where it says nothing. */
export function reasonOf(artifact: Artifact): readonly string[] {
  const reason = withoutFullStop(artifact.state_info?.trim() ?? '');
  return reason === '' ? [] : [reason];
}

/** What stood in the last answer before a failure; undefined where there was none of either. */
export function lastSeen({ sighting }: Looked): string | undefined {
  return sighting.failure === undefined || sighting.last === undefined ? undefined : stateWords(sighting.last.artifact);
}

/** What is known of one artifact. */
export function artifactFacts(artifact: Artifact, flow: string): readonly Fact[] {
  const commit = artifact.git_commit_info;
  return [
    ...fact('Artifact', artifact.filename, artifact.html_url),
    { label: 'Fingerprint', value: code(artifact.fingerprint) },
    ...fact('Flow', flow),
    ...fact('Trail', artifact.trail_name),
    ...fact('Commit', artifact.git_commit ?? commit?.sha1, artifact.commit_url ?? commit?.url),
    ...fact('Commit message', commit?.message?.split('\n')[0]),
    ...fact('Author', commit?.author),
    ...fact('Branch', commit?.branch),
    ...fact('Build', artifact.build_url, artifact.build_url),
  ];
}

/** What is known of the environment that was asked about. */
export function environmentFacts(environment: EnvironmentSighting | undefined): readonly Fact[] {
  if (environment === undefined) return [];
  const { name, sighting } = environment;
  if (sighting.failure !== undefined)
    return [...fact('Environment', name), ...fact('Snapshot', sighting.failure.message)];
  const { snapshot } = sighting.value;
  return [
    ...fact('Environment', name),
    ...fact('Snapshot', snapshot === undefined ? 'none' : `#${snapshot.index}`),
    ...fact('Snapshot compliant', snapshot === undefined ? undefined : complianceLabel(snapshotCompliance(snapshot))),
  ];
}

/** Whether an artifact runs in an environment, in a word or two. */
export function runsThere(standing: Standing | undefined): string {
  if (standing?.runs === undefined) return 'unknown';
  return standing.runs ? 'yes' : 'no';
}
