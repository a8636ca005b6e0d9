import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Starts a server on a free port of the loopback interface. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** An HTTP server on the loopback interface. */
export interface LoopbackServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly server: HttpServer;
  /** Stops it, and ends its connections. */
  readonly close: () => Promise<void>;
}

/** Starts an HTTP server. The errors of its connections are ignored. */
export async function serve(listener: RequestListener): Promise<LoopbackServer> {
  const server = createHttpServer(listener);
  server.on('connection', (socket) => socket.on('error', () => undefined));
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** A port of the loopback interface on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The connections of a server that are open. */
export interface OpenConnections {
  readonly count: () => number;
  /** Waits until no connection is open. */
  readonly abandoned: () => Promise<void>;
  /** Stops the server and ends its connections. */
  readonly close: () => Promise<void>;
}

/** Keeps track of the connections of a server that does not listen yet. Their errors are ignored. */
export function trackConnections(server: Server): OpenConnections {
  const sockets = new Set<Socket>();
  let departed = (): void => undefined;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      departed();
    });
  });
  return {
    count: () => sockets.size,
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
