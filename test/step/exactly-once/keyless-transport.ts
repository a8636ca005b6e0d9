import { idempotencyKeyHeader, keysAcceptedHeader, replayedHeader } from '../../../src/contract/idempotency.ts';
import type { HttpResponse, Transport } from '../../../src/http/transport.ts';

/** Makes the service behind a transport one that ignores idempotency keys, as a hosted service may. */
export function keylessTransport(inner: Transport): Transport {
  return {
    async send(request, signal) {
      const answer = await inner.send({ ...request, headers: without(request.headers, idempotencyKeyHeader) }, signal);
      return { ...answer, headers: without(without(answer.headers, keysAcceptedHeader), replayedHeader) };
    },
    preload: (url) => inner.preload(url),
    close: () => inner.close(),
  };
}

function without(headers: HttpResponse['headers'], name: string): HttpResponse['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}
