import type { Artifact } from '../../src/contract/artifact.ts';
import type { Asked, Looked } from '../../src/operations/get-artifact/parse-verdict.ts';
import type { Judging } from '../../src/operations/get-artifact/artifact-result.ts';
import type { PollTiming } from '../../src/operations/polling.ts';
import type { Verdict } from '../../src/contract/compliance.ts';
import { ExternalError, type Failure } from '../../src/runtime/failure.ts';

/** A fingerprint that is recognised at a glance: one digit, 64 times. */
export function fingerprintOf(digit: string): string {
  return digit.repeat(64);
}

/** An artifact as a service answers it, with other values where given. */
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

/** A question for the artifact above, with other values where given. */
export function anAsked(other: Partial<Asked> = {}): Asked {
  return { fingerprint: fingerprintOf('a'), flow: 'web', trail: undefined, attestationId: undefined, ...other };
}

/** What is known where artifacts were looked up once, with other circumstances where given. */
export function judging(looked: readonly Looked[], other: Partial<Judging> = {}): Judging {
  return { looked, flow: 'web', environment: undefined, waiting: notWaited, ...other };
}

/** Nobody wanted to wait. */
export const notWaited: PollTiming = { asked: 1, milliseconds: 0, timeIsUp: false };

/** An artifact that was found and judged. */
export function judged(digit: string, verdict: Verdict, other: Partial<Artifact> = {}): Looked {
  const states = { compliant: 'COMPLIANT', 'non-compliant': 'NON-COMPLIANT', incomplete: 'INCOMPLETE' } as const;
  const fingerprint = fingerprintOf(digit);
  return {
    asked: anAsked({ fingerprint }),
    name: `dist/${digit}.tgz`,
    sighting: {
      value: {
        artifact: anArtifact({ fingerprint, filename: `${digit}.tgz`, state: states[verdict], ...other }),
        verdict,
      },
    },
  };
}

/** The same artifact, of which the service does not name `git_commit`. */
export function withoutCommit(looked: Looked): Looked {
  const { value } = looked.sighting;
  if (value === undefined) return looked;
  const artifact = { ...value.artifact };
  delete artifact.git_commit;
  return { ...looked, sighting: { value: { ...value, artifact } } };
}

/** An artifact that could not be judged. */
export function unjudged(digit: string, failure: Failure = trouble(digit)): Looked {
  return {
    asked: anAsked({ fingerprint: fingerprintOf(digit) }),
    name: `dist/${digit}.tgz`,
    sighting: { failure, last: undefined },
  };
}

function trouble(digit: string): Failure {
  return new ExternalError({ what: `no answer about ${digit}`, remedy: 'Try again later.' });
}
