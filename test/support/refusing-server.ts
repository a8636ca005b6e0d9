import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { RequestBody } from '../../src/http/transport.ts';
import type { Certificate } from './certificate.ts';

/** A server on the loopback interface that reads the beginning of an upload and then closes the connection. */
export interface RefusingServer {
  readonly port: number;
  /** Resolves when the server has closed the connection. */
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

/** How the server closes the connection. */
export type Ending = 'closed' | 'reset';

/**
 * Starts the server.
 *
 * @param answer what it sends first; nothing if empty
 * @param certificate to speak TLS
 */
export async function startRefusingServer(
  answer: string,
  ending: Ending,
  certificate?: Certificate,
): Promise<RefusingServer> {
  const { promise: ended, resolve: onEnded } = Promise.withResolvers<undefined>();
  const refuse = (socket: Socket): void => {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      onEnded(undefined);
    });
    socket.once('data', () => {
      socket.pause();
      if (answer !== '') socket.write(answer);
      if (ending === 'reset') socket.resetAndDestroy();
      else socket.end(() => socket.destroy());
    });
  };
  const server: Server =
    certificate === undefined
      ? createServer(refuse)
      : createTlsServer({ key: certificate.key, cert: certificate.certificate }, refuse);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    ended,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** The response of a server that refuses an upload because of its headers. */
export const earlyRefusal = [
  'HTTP/1.1 401 Unauthorized',
  'content-type: application/json',
  'content-length: 25',
  'connection: close',
  '',
  '{"message":"no such key"}',
].join('\r\n');

/** A large body of which only the first chunk is sent before `until` resolves. */
export function bodyThatWaits(until: Promise<unknown>): RequestBody {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  return {
    contentType: 'application/octet-stream',
    length: 64 * chunk.length,
    async *open() {
      yield chunk;
      await until;
      for (let count = 1; count < 64; count += 1) yield chunk;
    },
  };
}
