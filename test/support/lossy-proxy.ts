import { createServer, request, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { idempotencyKeyHeader, keysAcceptedHeader } from '../../src/contract/idempotency.ts';

/** What a client gets instead of the response to its first request, which the service has processed. */
export type Loss = 'closed' | 'reset' | 'late' | 429 | 502 | 503 | 504;

/**
 * A proxy that loses the service's response to the first request of each client. It passes no idempotency keys on, so
 * that the service seems to ignore them.
 */
export interface LossyProxy {
  /**
   * A base address for one client; ends in `/api/v2`. The label consists of letters and digits, and names the client.
   */
  baseUrlFor(label: string, loss: Loss): string;
  /** The methods and paths of the client's requests, in order. */
  requestsOf(label: string): readonly string[];
  close(): Promise<void>;
}

/** Starts a proxy for the service at this base address. The caller must close it. */
export async function startLossyProxy(baseUrl: string): Promise<LossyProxy> {
  const losses = new Map<string, Loss>();
  const requests = new Map<string, string[]>();
  const server = createServer((received, answer) => {
    const [, label = '', path = '/'] = /^\/([^/]+)\/api\/v2(.*)$/u.exec(received.url ?? '') ?? [];
    const { method = 'GET' } = received;
    const headers = without(received.headers, idempotencyKeyHeader);
    const earlier = requests.get(label) ?? [];
    requests.set(label, [...earlier, `${method} ${path}`]);
    const loss = earlier.length === 0 ? losses.get(label) : undefined;
    const sent = request(baseUrl + path, { method, headers }, (response) => {
      if (loss === undefined) {
        answer.writeHead(response.statusCode ?? 502, without(response.headers, keysAcceptedHeader));
        response.pipe(answer);
        return;
      }
      response.resume();
      response.on('end', () => {
        lose(answer, loss);
      });
    });
    sent.on('error', () => answer.destroy());
    received.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrlFor(label, loss) {
      losses.set(label, loss);
      return `http://127.0.0.1:${port}/${label}/api/v2`;
    },
    requestsOf: (label) => requests.get(label) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function without(headers: IncomingHttpHeaders, name: string): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function lose(answer: ServerResponse, loss: Loss): void {
  switch (loss) {
    case 'closed':
      answer.socket?.end();
      return;
    case 'reset':
      answer.socket?.resetAndDestroy();
      return;
    case 'late':
      return;
    default:
      answer.writeHead(loss, { 'content-type': 'text/html' });
      answer.end('<html>Gateway</html>');
  }
}
