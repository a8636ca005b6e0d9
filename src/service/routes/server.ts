import { fastify, type FastifyInstance } from 'fastify';
import { maximumDocumentBytes } from '../../contract/limits.ts';
import {
  addNotFound,
  answerBrokenRequest,
  answerConnect,
  answerExpectation,
  answerFault,
  privateHeaders,
  type FaultListeners,
} from './faults.ts';
import { leaveUnwantedBodies } from './unread-body.ts';

/** How long the service waits for a sender, in milliseconds. */
export interface Patience {
  /** For the head of a request. */
  readonly head: number;
  /** For a whole request: 10 MiB at 90 kB a second, and not a slow sender's connection for ever. */
  readonly request: number;
  /** For the next request on an open connection. */
  readonly idle: number;
  /** For requests that are still being answered when the service stops. */
  readonly stop: number;
}

/** How long the service waits for a sender unless told otherwise. */
export const usualPatience: Patience = { head: 15_000, request: 120_000, idle: 65_000, stop: 10_000 };

// An address is shorter than the head it stands in, so it is the limit of the head that holds, not one of the router's.
const longestHead = 16 * 1024;

/** An HTTP server without routes, that answers every fault in the one form of error answers. */
export function createServer(listeners: FaultListeners, patience: Patience): FastifyInstance {
  const app = fastify({
    bodyLimit: maximumDocumentBytes,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    // A client that speaks on its open connection while the service stops gets its answer.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestHead },
    frameworkErrors: (error, request, reply) => {
      answerFault(listeners, error, request, reply);
    },
    clientErrorHandler: answerBrokenRequest,
    http: {
      headersTimeout: patience.head,
      maxHeaderSize: longestHead,
      connectionsCheckingInterval: Math.min(5000, Math.ceil(patience.head / 2)),
      // Node's own answer to a missing Host has no body, and nothing here asks for the host.
      requireHostHeader: false,
    },
  });
  addParsers(app);
  addNotFound(app);
  app.setErrorHandler((error, request, reply) => answerFault(listeners, error, request, reply));
  app.server.on('checkExpectation', answerExpectation);
  app.server.on('connect', answerConnect);
  leaveUnwantedBodies(app);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.headers(privateHeaders);
    done();
  });
  return app;
}

/** JSON is handed on as bytes, within its limit; everything else stays unread until its route asks for it. */
function addParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    done(null, bytes);
  });
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null, undefined);
  });
}
