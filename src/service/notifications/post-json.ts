import { request as requestPlain, type ClientRequest } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { findAddressBan, type AddressBan } from './target-address.ts';

/** An IP address of a name. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** How the service reaches webhooks. */
export interface Web {
  /** Resolves a name to all its addresses. */
  resolve(name: string): Promise<readonly ResolvedAddress[]>;
  /** Whether private addresses may be called. */
  readonly allowPrivateTargets: boolean;
}

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
  const address = await resolvePermittedAddress(web, url);
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

const refusals: Readonly<Record<NonNullable<AddressBan>, string>> = {
  metadata: ', where cloud providers keep the credentials of their machines; notifications are never sent there',
  'not public': ', which is not on the public internet; start the service with --allow-private-targets to permit it',
};

async function resolvePermittedAddress(web: Web, url: URL): Promise<ResolvedAddress> {
  // IPv6 addresses in URLs are in brackets.
  const name = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  const family = isIP(name);
  const addresses = family === 0 ? await resolve(web, name) : [{ address: name, family }];
  const [first] = addresses;
  if (first === undefined) throw new DeliveryError(`${name} has no address`);
  // One private address among public ones is enough to reject the name: it has no legitimate purpose.
  for (const { address } of addresses) {
    const refusal = findAddressBan(address, web.allowPrivateTargets);
    if (refusal !== undefined) throw new DeliveryError(`${name} has the address ${address}${refusals[refusal]}`);
  }
  return first;
}

async function resolve(web: Web, name: string): Promise<readonly ResolvedAddress[]> {
  try {
    return await web.resolve(name);
  } catch (error) {
    throw new DeliveryError(`${name} cannot be resolved`, { cause: error });
  }
}

/** A lookup function that always returns the same address. */
function pinnedLookup({ address, family }: ResolvedAddress): LookupFunction {
  return (_name, options, answer) => {
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
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
