import { createServer, type AddressInfo, type Socket } from 'node:net';

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

export interface AttackingServer {
  readonly url: string;
  /** Waits until no connection is open. */
  abandoned(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server on the loopback interface that answers the first request of each connection with an attack. */
export async function startAttackingServer(attack: (socket: Socket) => void): Promise<AttackingServer> {
  const sockets = new Set<Socket>();
  let departed = (): void => undefined;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      departed();
    });
    socket.once('data', () => {
      attack(socket);
    });
    socket.resume();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    abandoned: () =>
      new Promise((resolve) => {
        departed = () => {
          if (sockets.size === 0) resolve();
        };
        departed();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}
