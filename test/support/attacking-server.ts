import { createServer, type Socket } from 'node:net';
import { listen, trackConnections, type OpenConnections } from './loopback-server.ts';

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

export interface AttackingServer extends Pick<OpenConnections, 'abandoned' | 'close'> {
  readonly url: string;
}

/** Starts a server on the loopback interface that answers the first request of each connection with an attack. */
export async function startAttackingServer(attack: (socket: Socket) => void): Promise<AttackingServer> {
  const server = createServer((socket) => {
    socket.once('data', () => {
      attack(socket);
    });
    socket.resume();
  });
  const { abandoned, close } = trackConnections(server);
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/`, abandoned, close };
}
