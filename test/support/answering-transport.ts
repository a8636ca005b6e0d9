import type { HttpAnswer, HttpRequest, Transport } from '../../src/http/transport.ts';

/** A transport that opens no connection. */
export interface AnsweringTransport extends Transport {
  /** Everything that was sent, in order. */
  readonly requests: readonly HttpRequest[];
}

/** A transport that answers each request with what the function makes of it. */
export function answeringTransport(
  answer: (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>,
): AnsweringTransport {
  const requests: HttpRequest[] = [];
  return {
    requests,
    async send(request, signal) {
      signal.throwIfAborted();
      requests.push(request);
      return answer(request);
    },
    getReady: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** A transport that never answers, until it is given up. */
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
    getReady: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** An answer in JSON. */
export function jsonAnswer(status: number, body: unknown, headers: HttpAnswer['headers'] = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) };
}
