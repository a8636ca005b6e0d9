import { keysAcceptedHeader } from '../contract/idempotency.ts';
import type { HttpResponse, Transport } from '../http/transport.ts';

/**
 * Whether an answer says that the service honours idempotency keys. Proxies and login pages do not send that header, so
 * the answer is the service's own.
 */
export function saysKeysAreHonoured({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  return headers[keysAcceptedHeader]?.trim() === '?1';
}

/**
 * Whether the service honours idempotency keys. Every answer of such a service says so, including errors; once it is
 * known, an answer that does not say so is not from the service.
 */
export class KeySupport {
  #isKnown = false;

  /** True once an answer has said so. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Wraps a transport to read the header in its answers. */
  observe(transport: Transport): Transport {
    return {
      preload: (url) => transport.preload(url),
      close: () => transport.close(),
      send: async (request, signal) => {
        const answer = await transport.send(request, signal);
        if (saysKeysAreHonoured(answer)) this.#isKnown = true;
        return answer;
      },
    };
  }
}
