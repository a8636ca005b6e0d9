import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { listen, type OpenConnections, trackConnections } from '../../tools/loopback-server.ts';
import type { Certificate } from './certificate.ts';
import { counter } from './faulty-server.ts';

/** A server on the loopback interface that writes bytes, or none. */
export interface RawServer extends OpenConnections {
  readonly port: number;
  /** For HTTP. */
  readonly url: string;
  /** Waits until this many connections were opened. */
  connected(count: number): Promise<void>;
  /** The number of connections that were opened. */
  connections(): number;
}

/**
 * Starts a server that handles the first data of each connection; by default it never sends a byte, of TLS or HTTP.
 *
 * @param certificate to speak TLS
 */
export async function startRawServer(
  handle: (socket: Socket) => void = () => undefined,
  certificate?: Certificate,
): Promise<RawServer> {
  const arrivals = counter();
  let connections = 0;
  const accept = (socket: Socket): void => {
    connections += 1;
    socket.once('data', () => {
      handle(socket);
    });
    // Without reading, the end of the connection would not be noticed.
    socket.resume();
    arrivals.count();
  };
  const server =
    certificate === undefined
      ? createServer(accept)
      : createTlsServer({ key: certificate.key, cert: certificate.certificate }, accept);
  const open = trackConnections(server);
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}/`;
  return { ...open, port, url, connections: () => connections, connected: (count) => arrivals.reached(count) };
}

/** Answers a request. `expire` ends the time that the request has. */
export type Attack = (socket: Socket, expire: () => void) => void;

export const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
export const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';

/** Writes a piece again and again, until the connection is closed. The time is over after some of them. */
export function drip(start: string, piece: string): Attack {
  return (socket, expire) => {
    socket.write(start);
    let pieces = 0;
    const next = (): void => {
      if (socket.destroyed) return;
      socket.write(piece);
      pieces += 1;
      if (pieces === 20) expire();
      setImmediate(next);
    };
    next();
  };
}

const silence: Attack = (_socket, expire) => {
  expire();
};

/** Answers that never end. */
export const endlessAnswers: readonly (readonly [string, Attack])[] = [
  ['is silent', silence],
  ['sends header after header', drip('HTTP/1.1 200 OK\r\n', 'a: b\r\n')],
  ['says "continue" for ever', drip('', 'HTTP/1.1 100 Continue\r\n\r\n')],
  ['says "processing" for ever', drip('', 'HTTP/1.1 102 Processing\r\n\r\n')],
];
