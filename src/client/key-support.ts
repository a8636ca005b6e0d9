import { keysAcceptedHeader } from '../contract/idempotency.ts';
import type { Transport } from '../http/transport.ts';

/**
 * Whether the service honours idempotency keys. Every answer of such a service says so, errors as well; an answer that
 * does not say so may come from a proxy.
 */
export class KeySupport {
  #isKnown = false;

  /** True once an answer has said so. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The same transport; its answers are read for the header. */
  observe(transport: Transport): Transport {
    return {
      preload: (url) => transport.preload(url),
      close: () => transport.close(),
      send: async (request, signal) => {
        const answer = await transport.send(request, signal);
        if (answer.headers[keysAcceptedHeader]?.trim() === '?1') this.#isKnown = true;
        return answer;
      },
    };
  }
}
