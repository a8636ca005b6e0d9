import { artifactStates, type Verdict, verdictFromArtifactState } from '../contract/compliance.ts';
import type { EndpointOperation } from '../contract/endpoint.ts';
import { ExternalError } from '../runtime/failure.ts';

/**
 * The verdict for the state of an artifact or a trail.
 *
 * @param about what the state is about: `fingerprint abc`
 * @throws ExternalError if the state is missing or unknown: neither may pass
 */
export function parseState(operation: EndpointOperation, state: string | undefined, about: string): Verdict {
  if (state === undefined || state === '') {
    throw new ExternalError({
      what: `${operation}: the service returned no state for ${about}`,
      remedy:
        'Check that `base-url` points to the right service. Without a state there is no verdict, so the step does not pass.',
    });
  }
  const verdict = verdictFromArtifactState(state);
  if (verdict === undefined) {
    throw new ExternalError({
      what: `${operation}: the service answered with the unknown state ${JSON.stringify(state)} (known: ${artifactStates.join(', ')})`,
      remedy: 'Update this action to a version that knows the state. Until then the step does not pass.',
    });
  }
  return verdict;
}
