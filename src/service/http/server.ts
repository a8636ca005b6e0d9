import { fastify, type FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';
import { maximumDocumentBytes } from '../../contract/limits.ts';
import { largeAnswer, type Admission } from './bodies/admission.ts';
import { sendError, type ErrorListeners } from './errors/error-response.ts';
import { respondToConnect, respondToExpectation, respondToMalformedRequest } from './errors/malformed-request.ts';
import { addNotFoundHandler } from './errors/route-not-found.ts';
import { privateResponseHeaders } from './json-response.ts';
import { requestOrganization } from './authentication/authentication.ts';
import { leaveUnwantedBodiesUnread } from './bodies/unread-body.ts';

/** How long the service waits for a sender, in milliseconds. */
export interface Timeouts {
  /** For the head of a request. */
  readonly head: number;
  /** For a whole request: 10 MiB at 90 kB a second, and not a slow sender's connection for ever. */
  readonly request: number;
  /** For a receiver to take a whole answer, and on a connection on which nothing moves. */
  readonly answer: number;
  /** For the next request on an open connection. */
  readonly idle: number;
  /** For requests that are still being answered when the service stops. */
  readonly stop: number;
}

/** How long the service waits for a sender unless told otherwise. */
export const defaultTimeouts: Timeouts = {
  head: 15_000,
  request: 120_000,
  answer: 120_000,
  idle: 65_000,
  stop: 10_000,
};

// An address is shorter than the head it stands in, so it is the limit of the head that holds, not one of the router's.
const longestHead = 16 * 1024;

/** An HTTP server without routes, that answers every fault in the one form of error answers. */
export function createServer(listeners: ErrorListeners, timeouts: Timeouts, admission: Admission): FastifyInstance {
  const app = fastify({
    bodyLimit: maximumDocumentBytes,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.answer,
    keepAliveTimeout: timeouts.idle,
    // A client that speaks on its open connection while the service stops gets its answer.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestHead },
    frameworkErrors: (error, request, reply) => {
      sendError(listeners, error, request, reply);
    },
    clientErrorHandler: respondToMalformedRequest,
    http: {
      headersTimeout: timeouts.head,
      maxHeaderSize: longestHead,
      connectionsCheckingInterval: Math.min(5000, Math.ceil(timeouts.head / 2)),
      // Node's own answer to a missing Host has no body, and nothing here asks for the host.
      requireHostHeader: false,
    },
  });
  addParsers(app);
  addNotFoundHandler(app);
  app.setErrorHandler((error, request, reply) => sendError(listeners, error, request, reply));
  app.server.on('checkExpectation', respondToExpectation);
  app.server.on('connect', respondToConnect);
  leaveUnwantedBodiesUnread(app);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.headers(privateResponseHeaders);
    done();
  });
  addLargeAnswers(app, timeouts, admission);
  return app;
}

/** A large answer is held in memory until it was taken, so it is counted, and its receiver has so much time. */
function addLargeAnswers(app: FastifyInstance, { answer }: Timeouts, admission: Admission): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload);
    if (size === undefined || size > largeAnswer) limitTime(reply.raw, answer);
    if (size !== undefined && size > largeAnswer) {
      const org = requestOrganization(request) ?? '';
      // What was written stays written, so its answer cannot be refused.
      const isRefusable = request.method === 'GET' && reply.statusCode < 400;
      try {
        if (isRefusable) admission.admit(org, size, reply.raw);
        else admission.hold(org, size, reply.raw);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
    }
    done();
  });
}

/** In bytes; undefined for a stream, which is not held. */
function sizeOf(payload: unknown): number | undefined {
  if (typeof payload === 'string') return payload.length;
  return payload instanceof Uint8Array ? payload.length : undefined;
}

function limitTime(response: ServerResponse, milliseconds: number): void {
  const timer = setTimeout(() => response.destroy(), milliseconds);
  response.once('close', () => {
    clearTimeout(timer);
  });
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
