import type { Artifact } from '../../src/contract/artifact.ts';
import type { ArtifactQuery } from '../../src/operations/get-artifact/artifact-query.ts';
import type { FinalJudgement } from '../../src/operations/get-artifact/artifact-result.ts';
import { judgeArtifacts } from '../../src/operations/get-artifact/judge-artifacts.ts';
import type { ArtifactLookup } from '../../src/operations/get-artifact/lookup.ts';
import type { PollTiming } from '../../src/operations/polling.ts';
import type { Verdict } from '../../src/contract/compliance.ts';
import { ExternalError, type Failure } from '../../src/runtime/failure.ts';

/** A fingerprint that is easy to recognise: one digit, 64 times. */
export function fingerprintOf(digit: string): string {
  return digit.repeat(64);
}

/** An artifact as a service returns it, with these changes. */
export function anArtifact(other: Partial<Artifact> = {}): Artifact {
  return {
    fingerprint: fingerprintOf('a'),
    filename: 'web.tar.gz',
    flow_name: 'web',
    trail_name: 'trail-1',
    git_commit: 'c'.repeat(40),
    commit_url: `https://github.com/acme/widgets/commit/${'c'.repeat(40)}`,
    html_url: 'https://compliance.example.com/acme/flows/web/artifacts/1',
    state: 'COMPLIANT',
    state_info: 'All evidence is compliant: sonar.',
    ...other,
  };
}

/** A query for the artifact above, with these changes. */
export function aQuery(other: Partial<ArtifactQuery> = {}): ArtifactQuery {
  return {
    fingerprint: fingerprintOf('a'),
    name: undefined,
    flow: 'web',
    trail: undefined,
    attestationId: undefined,
    ...other,
  };
}

/** The judgement of artifacts that were looked up once. */
export function judgementOf(
  artifacts: readonly ArtifactLookup[],
  { timing = polledOnce }: { readonly timing?: PollTiming } = {},
): FinalJudgement {
  return { ...judgeArtifacts(artifacts), flow: 'web', timing };
}

/** There was one poll. */
export const polledOnce: PollTiming = { polls: 1, milliseconds: 0, timedOut: false };

/** An artifact that was found, with its verdict. */
export function foundArtifact(digit: string, verdict: Verdict, other: Partial<Artifact> = {}): ArtifactLookup {
  const states = { compliant: 'COMPLIANT', 'non-compliant': 'NON-COMPLIANT', incomplete: 'INCOMPLETE' } as const;
  const fingerprint = fingerprintOf(digit);
  return {
    query: aQuery({ fingerprint, name: `dist/${digit}.tgz` }),
    settled: {
      value: {
        artifact: anArtifact({ fingerprint, filename: `${digit}.tgz`, state: states[verdict], ...other }),
        verdict,
      },
    },
  };
}

/** The same lookup for the file with this name, or for a given fingerprint. */
export function withName(lookup: ArtifactLookup, name: string | undefined): ArtifactLookup {
  return { ...lookup, query: { ...lookup.query, name } };
}

/** The same artifact without `git_commit`. */
export function withoutCommit(lookup: ArtifactLookup): ArtifactLookup {
  const { value } = lookup.settled;
  if (value === undefined) return lookup;
  const artifact = { ...value.artifact };
  delete artifact.git_commit;
  return { ...lookup, settled: { value: { ...value, artifact } } };
}

/** An artifact that could not be looked up. */
export function failedLookup(digit: string, failure: Failure = noResponse(digit)): ArtifactLookup {
  return {
    query: aQuery({ fingerprint: fingerprintOf(digit), name: `dist/${digit}.tgz` }),
    settled: { failure, last: undefined },
  };
}

function noResponse(digit: string): Failure {
  return new ExternalError({ what: `no answer about ${digit}`, remedy: 'Try again later.' });
}
