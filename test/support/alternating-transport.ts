import { idempotencyKeyHeader } from '../../src/contract/idempotency.ts';
import type { Transport } from '../../src/http/transport.ts';

/**
 * A transport like a proxy in front of several processes: a request that is repeated with its idempotency key goes to
 * another process than before, and requests without a key take turns.
 *
 * @param origins of the processes, which share their data
 */
export function alternatingTransport(inner: Transport, origins: readonly string[]): Transport {
  const turns = new Map<string, number>();
  return {
    ...inner,
    send: (request, signal) => {
      const key = request.headers[idempotencyKeyHeader] ?? '';
      const turn = turns.get(key) ?? 0;
      turns.set(key, turn + 1);
      const { pathname, search } = request.url;
      const origin = origins[turn % origins.length];
      return inner.send({ ...request, url: new URL(pathname + search, origin) }, signal);
    },
  };
}
