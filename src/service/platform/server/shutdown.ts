import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Timeouts } from './server.ts';

export interface Shutdown {
  /** Whether the server is stopping: it still responds, but should get no new requests. */
  isDraining(): boolean;
  /** Responds to requests that have arrived, and stops. Resolves when all connections and all work have ended. */
  stop(): Promise<void>;
}

/** How often idle connections are closed, in milliseconds. */
const tidyInterval = 20;

/** How long the first request on a new connection may be on its way, in milliseconds. */
const maximumSilence = 1000;

/** For how many turns of the event loop new connections are accepted at most. */
const maximumTurns = 1000;

/** After this many turns without a new connection the kernel's queue is empty. */
const quietTurns = 3;

/** Prepares the shutdown of a server. Call it before the server listens. */
export function prepareShutdown(app: FastifyInstance, { stop: timeout }: Timeouts): Shutdown {
  let draining = false;
  let accepted = 0;
  const connections = new Set<Socket>();
  app.server.on('connection', (socket) => {
    accepted += 1;
    connections.add(socket.once('close', () => connections.delete(socket)));
  });
  const unanswered = new Set<FastifyRequest>();
  app.addHook('onRequest', (request, _reply, done) => {
    unanswered.add(request);
    done();
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    unanswered.delete(request);
    if (draining) reply.header('connection', 'close');
    done();
  });
  return {
    isDraining: () => draining,
    async stop() {
      draining = true;
      await drainBacklog(() => accepted);
      await closeServer(app, connections, timeout);
      // The clients of the others have left, but the work on their requests still uses the storage.
      for (let waited = 0; unanswered.size > 0 && waited < timeout; waited += tidyInterval) await sleep(tidyInterval);
    },
  };
}

/**
 * Accepts the connections that are in the kernel's queue. Closing the listening socket would reset them, and clients
 * that have already sent a request could not know whether it was processed. Each turn of the event loop accepts all
 * queued connections.
 */
async function drainBacklog(acceptedSoFar: () => number): Promise<void> {
  let quiet = 0;
  for (let turn = 0; turn < maximumTurns && quiet < quietTurns; turn += 1) {
    const before = acceptedSoFar();
    await nextTurn();
    quiet = acceptedSoFar() === before ? quiet + 1 : 0;
  }
}

/** Closes the server after the current requests, or after the timeout. */
async function closeServer(app: FastifyInstance, connections: Iterable<Socket>, timeout: number): Promise<void> {
  const { server } = app;
  // A closing server no longer enforces its timeouts, so a silent client would keep it open forever.
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, timeout);
  // Browsers connect in advance. For Node, a connection without a first request is not idle.
  const cutSilent = setTimeout(() => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, maximumSilence);
  // Node closes the connections that are idle now, but not those that become idle later.
  const tidy = setInterval(() => {
    server.closeIdleConnections();
  }, tidyInterval);
  // Closed here, because `app.close()` would do it some turns of the event loop later.
  await new Promise<void>((resolve) => {
    if (server.listening)
      server.close(() => {
        resolve();
      });
    else resolve();
  });
  clearTimeout(cut);
  clearTimeout(cutSilent);
  clearInterval(tidy);
  await app.close();
}
