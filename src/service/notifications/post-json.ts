import { request as requestPlain, type ClientRequest } from 'node:http';
import { request as requestSecure } from 'node:https';
import {
  AddressError,
  pinnedLookup,
  resolvePermittedAddress,
  type Refusals,
  type ResolvedAddress,
  type Web,
} from '../network/permitted-address.ts';

/** A failed delivery. The message says why, without a full stop. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
}

/**
 * Posts a JSON document. Resolves when the target has accepted it (status 200 to 299).
 *
 * The name is resolved here, and the connection goes to the address that was checked, so that DNS rebinding has no
 * effect. Redirects are not followed, because they could lead anywhere.
 *
 * @throws DeliveryError
 */
export async function postJson(
  web: Web,
  target: string,
  body: string,
  { headers = {}, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<void> {
  const url = new URL(target);
  const address = await resolveTarget(web, url);
  const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
    method: 'POST',
    agent: false,
    lookup: pinnedLookup(address),
    signal,
    headers: {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'compliance-service',
    },
  });
  const status = await sendAndReadStatus(request, body);
  if (status < 200 || status > 299) throw new DeliveryError(`it answered ${status}`);
}

const refusals: Refusals = {
  metadata: (name, address) =>
    `${name} has the address ${address}, where cloud providers keep the credentials of their machines; notifications are never sent there`,
  'not public': (name, address) =>
    `${name} has the address ${address}, which is not on the public internet; start the service with --allow-private-targets to permit it`,
};

async function resolveTarget(web: Web, url: URL): Promise<ResolvedAddress> {
  try {
    return await resolvePermittedAddress(web, url, refusals);
  } catch (error) {
    throw error instanceof AddressError ? new DeliveryError(error.message, { cause: error.cause }) : error;
  }
}

function sendAndReadStatus(request: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      // The body is not needed, and could be endless.
      response.destroy();
    });
    request.on('error', (error) => {
      reject(new DeliveryError(`no answer: ${error.message}`, { cause: error }));
    });
    request.end(body);
  });
}
