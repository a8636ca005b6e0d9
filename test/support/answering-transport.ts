import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';

/** A transport that opens no connection. */
export interface AnsweringTransport extends Transport {
  /** All requests, in order. */
  readonly requests: readonly HttpRequest[];
}

/** A transport whose responses a function makes of the requests. */
export function answeringTransport(
  answer: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
): AnsweringTransport {
  const requests: HttpRequest[] = [];
  return {
    requests,
    async send(request, signal) {
      signal.throwIfAborted();
      requests.push(request);
      return answer(request);
    },
    preload: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** A transport that never responds. A request ends when it is aborted. */
export function silentTransport(): AnsweringTransport {
  const requests: HttpRequest[] = [];
  return {
    requests,
    send(request, signal) {
      signal.throwIfAborted();
      requests.push(request);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
        });
      });
    },
    preload: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

export function jsonAnswer(status: number, body: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) };
}
