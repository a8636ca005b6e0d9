import type { Artifact } from '../../contract/artifact.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { ExternalError } from '../../runtime/failure.ts';
import type { IdentifiedArtifact } from '../identify-artifacts.ts';
import { parseState } from '../parse-state.ts';

/** An artifact to look up. */
export interface ArtifactQuery extends IdentifiedArtifact {
  readonly flow: string;
  readonly trail: string | undefined;
  readonly attestationId: string | undefined;
}

/**
 * The verdict in an answer. First checks that the answer is for the query, so that the gate does not pass by the state
 * of another artifact.
 *
 * @throws ExternalError if the answer is about something else, or if its state is missing or unknown: neither may pass
 */
export function parseVerdict(artifact: Artifact, query: ArtifactQuery): Verdict {
  const mismatch = findMismatch(artifact, query);
  if (mismatch !== undefined) {
    throw new ExternalError({
      what: `get-artifact: the service was asked for ${mismatch.asked} and answered with ${mismatch.answered}`,
      remedy: "Report this to the service's operators; the artifact was not judged.",
    });
  }
  return parseState('get-artifact', artifact.state, `fingerprint ${artifact.fingerprint}`);
}

/**
 * How the answer differs from the query; undefined if it does not. Fingerprint and flow are in the path, so the answer
 * may omit the flow. Trail and attestation are query parameters that a service may ignore, so the answer must name
 * them.
 */
function findMismatch(artifact: Artifact, query: ArtifactQuery): { asked: string; answered: string } | undefined {
  if (!artifact.fingerprint.startsWith(query.fingerprint)) {
    return { asked: `fingerprint ${query.fingerprint}`, answered: `fingerprint ${artifact.fingerprint}` };
  }
  if (artifact.flow_name !== undefined && artifact.flow_name !== query.flow) {
    return { asked: `flow ${query.flow}`, answered: `flow ${JSON.stringify(artifact.flow_name)}` };
  }
  return (
    narrowedMismatch('trail', query.trail, artifact.trail_name) ??
    narrowedMismatch('artifact attestation', query.attestationId, artifact.id)
  );
}

function narrowedMismatch(
  what: string,
  asked: string | undefined,
  answered: string | null | undefined,
): { asked: string; answered: string } | undefined {
  if (asked === undefined || asked === answered) return undefined;
  const isNamed = answered !== undefined && answered !== null && answered !== '';
  return {
    asked: `${what} ${asked}`,
    answered: isNamed ? `${what} ${JSON.stringify(answered)}` : `an artifact that names no ${what}`,
  };
}
