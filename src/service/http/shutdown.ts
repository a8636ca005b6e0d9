import type { FastifyInstance } from 'fastify';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Timeouts } from './server.ts';

/** How a server ends. */
export interface Shutdown {
  /** Whether the server is about to end: it still answers, and wants no new work. */
  isDraining(): boolean;
  /** Answers what has arrived, and ends. Resolves once no connection is left. */
  stop(): Promise<void>;
}

/** How often connections that have become idle are closed, in milliseconds. */
const tidyInterval = 20;

/** The most turns of the event loop for which new connections are still accepted. */
const maximumTurns = 1000;

/** How many turns in a row without a new connection show that the kernel's queue is empty. */
const quietTurns = 3;

/** Prepares a server for its end. Call it before the server listens. */
export function prepareShutdown(app: FastifyInstance, { stop: timeout }: Timeouts): Shutdown {
  let draining = false;
  let accepted = 0;
  app.server.on('connection', () => {
    accepted += 1;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close');
    done();
  });
  return {
    isDraining: () => draining,
    async stop() {
      draining = true;
      await drainBacklog(() => accepted);
      await closeServer(app, timeout);
    },
  };
}

/**
 * Lets the server accept the connections that the kernel has already accepted for it. Closing the listening socket resets
 * those, and their senders, who have sent their requests by then, could not know whether they were processed. Each turn of
 * the event loop accepts all that is queued; the loop ends right after such a turn.
 */
async function drainBacklog(acceptedSoFar: () => number): Promise<void> {
  let quiet = 0;
  for (let turn = 0; turn < maximumTurns && quiet < quietTurns; turn += 1) {
    const before = acceptedSoFar();
    await nextTurn();
    quiet = acceptedSoFar() === before ? quiet + 1 : 0;
  }
}

/** Ends after the requests that are being answered, or after the timeout. */
async function closeServer(app: FastifyInstance, timeout: number): Promise<void> {
  const { server } = app;
  // A closing server no longer watches its time limits, so a silent sender would keep it open for ever.
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, timeout);
  // Node closes the connections that are idle when the closing begins, but not those that become idle a moment later.
  const tidy = setInterval(() => {
    server.closeIdleConnections();
  }, tidyInterval);
  // Closed here and not by `app.close()`, which would do so some turns of the event loop later.
  await new Promise<void>((resolve) => {
    if (server.listening)
      server.close(() => {
        resolve();
      });
    else resolve();
  });
  clearTimeout(cut);
  clearInterval(tidy);
  await app.close();
}
