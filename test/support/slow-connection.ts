import { Transform } from 'node:stream';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A proxy in front of a server that can make the network to it slow or broken. It knows no protocol. */
export interface SlowConnection extends TcpProxy {
  /** From now on, holds each piece of data back for this long, in milliseconds, in both directions. */
  delay(milliseconds: number): void;
  /** From now on, passes nothing on. Connections stay open. */
  hold(): void;
  /** Passes everything on again, also what was held. */
  release(): void;
}

/** Starts a proxy for this port of the loopback interface. The caller must close it. */
export async function startSlowConnection(target: number): Promise<SlowConnection> {
  const state = { delay: 0, held: undefined as PromiseWithResolvers<undefined> | undefined };

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

  const proxy = await startTcpProxy({ host: '127.0.0.1', port: target }, () => ({
    toServer: slow(),
    toClient: slow(),
  }));
  return {
    ...proxy,
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
  };
}
