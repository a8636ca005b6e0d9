import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A proxy in front of a server that can make the network to it slow or broken. It knows no protocol. */
export interface SlowConnection {
  readonly port: number;
  /** From now on, holds each piece of data back for this long, in milliseconds, in both directions. */
  delay(milliseconds: number): void;
  /** From now on, passes nothing on. Connections stay open. */
  hold(): void;
  /** Passes everything on again, also what was held. */
  release(): void;
  /** Resets all connections. */
  reset(): void;
  /** Whether new connections are refused: closed as soon as they are opened. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy for this port of the loopback interface. The caller must close it. */
export async function startSlowConnection(target: number): Promise<SlowConnection> {
  const sockets = new Set<Socket>();
  const state = { delay: 0, isRefusing: false, held: undefined as PromiseWithResolvers<undefined> | undefined };

  function slow(): Transform {
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const pass = async (): Promise<void> => {
          if (state.delay > 0) await new Promise((resolve) => setTimeout(resolve, state.delay).unref());
          await state.held?.promise;
          done(null, chunk);
        };
        void pass();
      },
    });
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (state.isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        if (!socket.readableEnded) other.destroy();
      });
      socket.pipe(slow()).pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server without a port');

  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    delay: (milliseconds) => {
      state.delay = milliseconds;
    },
    hold: () => {
      state.held ??= Promise.withResolvers();
    },
    release: () => {
      state.held?.resolve(undefined);
      state.held = undefined;
    },
    reset,
    refuse: (isRefusing) => {
      state.isRefusing = isRefusing;
    },
    close: async () => {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}
