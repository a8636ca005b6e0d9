import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { pinnedLookup, type Refusals, resolvePermittedAddress, type Web } from './permitted-address.ts';

/** A request to an address that a user of the service named. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Says why an address is not called. */
  readonly refusals: Refusals;
  /** Ends the request, and the reading of its answer. See `withDeadline`. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request. Resolves with the answer, whose body has not been read; destroy it if you do not read it.
 *
 * The name is resolved here, and the connection goes to the address that was checked, so that DNS rebinding has no
 * effect. Redirects are not followed, because they could lead anywhere.
 *
 * @throws AddressError; the error of the connection
 */
export async function sendRequest(web: Web, request: OutboundRequest): Promise<IncomingMessage> {
  const { method, url, headers, body, refusals, signal } = request;
  const address = await resolvePermittedAddress(web, url, refusals);
  const sent = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
    ...{ method, agent: false, lookup: pinnedLookup(address), signal },
    headers: { ...headers, 'user-agent': 'compliance-service' },
  });
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    // Without a listener, Node.js closes the connection, and emits neither `response` nor `error`.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    sent.on('close', () => {
      reject(new Error('the connection was closed'));
    });
    sent.end(body);
  });
}
