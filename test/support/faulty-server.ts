import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { listen, trackConnections } from './loopback-server.ts';

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
  const server = createServer((request, response) => {
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
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  const port = await listen(server);
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    connections: () => connections,
    received: (count) => arrivals.reached(count),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** A server that accepts connections and never sends a byte, of TLS or HTTP. */
export interface SilentServer {
  readonly port: number;
  connections(): number;
  /** The number of open connections. */
  open(): number;
  /** Waits until this many connections were opened. */
  connected(count: number): Promise<void>;
  /** Waits until no connection is open. */
  abandoned(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a silent server on the loopback interface. */
export async function startSilentServer(): Promise<SilentServer> {
  const arrivals = counter();
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    // Without reading, the end of the connection would not be noticed.
    socket.resume();
    arrivals.count();
  });
  const { count: open, abandoned, close } = trackConnections(server);
  const port = await listen(server);
  return {
    port,
    connections: () => connections,
    open,
    connected: (count) => arrivals.reached(count),
    abandoned,
    close,
  };
}

/** A port of the loopback interface on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  return port;
}

interface Counter {
  count(): void;
  reached(count: number): Promise<void>;
}

function counter(): Counter {
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
