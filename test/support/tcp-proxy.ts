import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { listen } from '../../tools/loopback-server.ts';

/** A proxy on the loopback interface in front of a server. */
export interface TcpProxy {
  readonly port: number;
  reset(): void;
  /** Whether new connections are refused: closed as soon as they are opened. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

/** A connection of a client, and the one to the server that belongs to it. */
export interface JoinedConnections {
  readonly client: Socket;
  readonly upstream: Socket;
  /** From now on, the one stays open when the other one is closed. */
  readonly separate: () => void;
}

/** What data passes through, in each direction. */
interface Passages {
  readonly toServer: Transform;
  readonly toClient: Transform;
}

/**
 * Starts a proxy. The caller must close it.
 *
 * @param join is called for each connection, and returns what its data passes through
 */
export async function startTcpProxy(
  target: { readonly host: string; readonly port: number },
  join: (connections: JoinedConnections) => Passages,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isRefusing = false;

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ ...target, allowHalfOpen: true });
    let areJoined = true;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      const endOther = (): void => {
        if (areJoined) other.destroy();
      };
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', endOther);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!socket.readableEnded) endOther();
      });
    }
    const separate = (): void => {
      areJoined = false;
    };
    const { toServer, toClient } = join({ client, upstream, separate });
    client.pipe(toServer).pipe(upstream);
    upstream.pipe(toClient).pipe(client);
  });
  const port = await listen(server);

  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port,
    reset,
    refuse: (refusing) => {
      isRefusing = refusing;
    },
    close: async () => {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}
