import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { serve } from '../../tools/loopback-server.ts';

/** What the server has read of a request so far. */
export interface ReceivedRequest {
  readonly method: string;
  /** As on the request line; in a forwarding proxy it is an absolute URL. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The part of the body that has arrived. */
  body(): Buffer;
}

/** How the server misbehaves for one request. */
export interface Fault {
  /** Whether it happens as soon as the headers have arrived, before the body is read. */
  readonly early: boolean;
  play(response: ServerResponse, socket: Socket, request: IncomingMessage): void;
}

/** An HTTP server on the loopback interface that misbehaves as the test says. */
export interface FaultyServer {
  readonly url: URL;
  /** The requests whose headers have arrived, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections that were opened. */
  connections(): number;
  /** Waits until this many requests have arrived, completely unless their fault is early. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server. The first request gets the first fault, and so on; the last fault is repeated. */
export async function startFaultyServer(...faults: readonly [Fault, ...Fault[]]): Promise<FaultyServer> {
  const requests: ReceivedRequest[] = [];
  const arrivals = counter();
  let connections = 0;
  const { url, server, close } = await serve((request, response) => {
    const fault = faults[requests.length] ?? faults.at(-1) ?? faults[0];
    const chunks: Buffer[] = [];
    requests.push({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      body: () => Buffer.concat(chunks),
    });
    const play = (): void => {
      fault.play(response, request.socket, request);
      arrivals.count();
    };
    if (fault.early) {
      play();
      return;
    }
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', play);
  });
  server.on('connection', () => {
    connections += 1;
  });
  return {
    url: new URL(url),
    requests,
    connections: () => connections,
    received: (count) => arrivals.reached(count),
    close,
  };
}

/** Counts, and waits for a number. */
export interface Counter {
  count(): void;
  reached(count: number): Promise<void>;
}

export function counter(): Counter {
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  let total = 0;
  return {
    count() {
      total += 1;
      for (const waiter of waiting) {
        if (total >= waiter.count && waiting.delete(waiter)) waiter.resolve();
      }
    },
    reached: (count) =>
      total >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add({ count, resolve });
          }),
  };
}
