import type { Artifact } from '../contract/artifact.ts';
import { artifactStates, verdictOfArtifactState, type Verdict } from '../contract/compliance.ts';
import { TroubleError, type Failure } from '../runtime/failure.ts';

/** What was asked for. */
export interface Asked {
  /** Whole, or the first digits. */
  readonly fingerprint: string;
  readonly flow: string;
  readonly trail: string | undefined;
  readonly attestationId: string | undefined;
}

/** What came of looking one artifact up. */
export type Looked = { readonly asked: Asked; readonly name: string | undefined } & (
  { readonly artifact: Artifact; readonly verdict: Verdict; readonly failure?: never } | { readonly failure: Failure }
);

/**
 * The verdict of an answer, after a look at whether it belongs to what was asked: a gate that took another artifact's
 * state for this one's would pass by accident.
 *
 * @throws TroubleError for an answer about something else, and for a missing or an unknown state, which is never a pass
 */
export function judgeArtifact(artifact: Artifact, asked: Asked): Verdict {
  const stranger = otherThanAsked(artifact, asked);
  if (stranger !== undefined) {
    throw new TroubleError({
      what: `get-artifact: the service was asked for ${stranger.asked} and answered with ${stranger.answered}`,
      remedy: "Report this to the service's operators; the artifact was not judged.",
    });
  }
  if (artifact.state === undefined || artifact.state === '') {
    throw new TroubleError({
      what: `get-artifact: the service answered for fingerprint ${artifact.fingerprint} without a state`,
      remedy:
        'Check that `base-url` points to the right service; without a state there is no verdict, so this is no pass.',
    });
  }
  const verdict = verdictOfArtifactState(artifact.state);
  if (verdict === undefined) {
    throw new TroubleError({
      what: `get-artifact: the service answered the state ${JSON.stringify(artifact.state)}, which is none of ${artifactStates.join(', ')}`,
      remedy: 'Look for a newer version of this action that knows the state; until then it is no pass.',
    });
  }
  return verdict;
}

function otherThanAsked(artifact: Artifact, asked: Asked): { asked: string; answered: string } | undefined {
  if (!artifact.fingerprint.startsWith(asked.fingerprint)) {
    return { asked: `fingerprint ${asked.fingerprint}`, answered: `fingerprint ${artifact.fingerprint}` };
  }
  if (artifact.flow_name !== undefined && artifact.flow_name !== asked.flow) {
    return { asked: `flow ${asked.flow}`, answered: `flow ${JSON.stringify(artifact.flow_name)}` };
  }
  if (asked.trail !== undefined && typeof artifact.trail_name === 'string' && artifact.trail_name !== asked.trail) {
    return { asked: `trail ${asked.trail}`, answered: `trail ${JSON.stringify(artifact.trail_name)}` };
  }
  return undefined;
}
