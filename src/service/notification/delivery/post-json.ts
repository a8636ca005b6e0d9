import type { IncomingMessage } from 'node:http';
import { errorMessage } from '../../../runtime/failure.ts';
import { AddressError, type Refusals, type Web } from '../../platform/network/permitted-address.ts';
import { type OutboundRequest, sendRequest } from '../../platform/network/send-request.ts';

/** A failed delivery. The message says why, without a full stop. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
}

/**
 * Posts a JSON document. Resolves when the target has accepted it (status 200 to 299).
 *
 * @throws DeliveryError
 */
export async function postJson(
  web: Web,
  target: string,
  body: string,
  { headers = {}, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<void> {
  const response = await send(web, {
    ...{ method: 'POST', url: new URL(target), body, refusals, signal },
    headers: {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
    },
  });
  // The body is not needed, and could be endless.
  response.destroy();
  const { statusCode: status = 0 } = response;
  if (status < 200 || status > 299) throw new DeliveryError(`it answered ${status}`);
}

const refusals: Refusals = {
  metadata: (name, address) =>
    `${name} has the address ${address}, where cloud providers keep the credentials of their machines; notifications are never sent there`,
  'not public': (name, address) =>
    `${name} has the address ${address}, which is not on the public internet; start the service with --allow-private-targets to permit it`,
};

async function send(web: Web, request: OutboundRequest): Promise<IncomingMessage> {
  try {
    return await sendRequest(web, request);
  } catch (error) {
    if (error instanceof AddressError) throw new DeliveryError(error.message, { cause: error.cause });
    throw new DeliveryError(`no answer: ${errorMessage(error)}`, { cause: error });
  }
}
