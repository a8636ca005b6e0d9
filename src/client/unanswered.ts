import type { Endpoint } from '../contract/endpoint.ts';
import type { TransportError, TransportProblem } from '../http/exchange.ts';
import { ExternalError } from '../runtime/failure.ts';
import { labelOf } from './service-error.ts';

/** The words for a call that no whole answer came to. */
export function unanswered(error: TransportError, endpoint: Endpoint, path: string, url: URL): ExternalError {
  const sent = error.mayHaveReached
    ? ''
    : `; ${error.earlierArrived ? 'the last attempt' : 'the request'} was not sent${error.sentInPart ? ' completely' : ''}`;
  return new ExternalError(
    {
      what: `${labelOf(endpoint)}: ${endpoint.method} ${path} got no answer from ${url.origin}: ${error.message}${sent}`,
      remedy: remedies[error.problem],
    },
    { cause: error },
  );
}

const remedies: Readonly<Record<TransportProblem, string>> = {
  unreachable:
    'Check `base-url` and that the runner can reach that host: its network, DNS, and HTTPS_PROXY and NO_PROXY where a proxy is in between.',
  untrusted:
    "Check `base-url`; if the service's certificate comes from a private authority, set NODE_EXTRA_CA_CERTS to its PEM file in the `env` of the job or step.",
  interrupted: 'Try again; if it lasts, look for a proxy or load balancer that cuts connections.',
  timeout: 'Try again later, or raise `timeout` (seconds for one request) if the service is known to be slow.',
  malformed: 'Check that `base-url` points to the service, with the right protocol and port.',
};
