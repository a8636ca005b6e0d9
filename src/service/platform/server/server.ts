import type { ServerResponse } from 'node:http';
import { fastify, type FastifyInstance } from 'fastify';
import { maximumDocumentBytes } from '../../../contract/limits.ts';
import { type Admission, largeResponse, requestHolder } from './bodies/admission.ts';
import { leaveBodyUnread, leaveUnwantedBodiesUnread } from './bodies/unread-body.ts';
import { type ErrorListeners, sendError } from './errors/error-response.ts';
import { respondToConnect, respondToExpectation, respondToMalformedRequest } from './errors/malformed-request.ts';
import { addNotFoundHandler } from './errors/route-not-found.ts';
import { keysAcceptedHeaders, privateResponseHeaders } from './json-response.ts';
import { addLoadLimits, type LoadLimits } from './load-limits.ts';
import { LongStream } from './streamed-response.ts';

/** How long the service waits, in milliseconds. */
export interface Timeouts {
  /** For the headers of a request. */
  readonly head: number;
  /** For a whole request: enough for 10 MiB at 90 kB/s. */
  readonly request: number;
  /** For a client to receive a whole response, and on an inactive connection. */
  readonly response: number;
  /** For the next request on an open connection. */
  readonly idle: number;
  /** For the current requests when the service stops. */
  readonly stop: number;
}

export const defaultTimeouts: Timeouts = {
  head: 15_000,
  request: 120_000,
  response: 120_000,
  idle: 65_000,
  stop: 10_000,
};

// The limit of the headers applies to addresses, too, so the router needs no limit of its own.
const maximumHeaderBytes = 16 * 1024;

export interface ServerOptions {
  /** Addresses and networks (CIDR) of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly load?: Partial<LoadLimits> | undefined;
}

/** Creates an HTTP server without routes, which sends every error in the same JSON form. */
export function createServer(
  listeners: ErrorListeners,
  timeouts: Timeouts,
  admission: Admission,
  { trustedProxies = [], load }: ServerOptions = {},
): FastifyInstance {
  const app = fastify({
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    bodyLimit: maximumDocumentBytes,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.response,
    keepAliveTimeout: timeouts.idle,
    // Requests on open connections are still processed while the service stops.
    return503OnClosing: false,
    routerOptions: { maxParamLength: maximumHeaderBytes },
    // Routes validate with the contract's own checks, so that the service does not load Fastify's schema compilers.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, request, reply) => {
      // No hooks run. The address is invalid, and may have been meant as one of the interface.
      leaveBodyUnread(request.raw, reply.raw);
      sendError(listeners, error, request, reply.headers({ ...privateResponseHeaders, ...keysAcceptedHeaders }));
    },
    clientErrorHandler: respondToMalformedRequest,
    http: {
      headersTimeout: timeouts.head,
      maxHeaderSize: maximumHeaderBytes,
      connectionsCheckingInterval: Math.min(5000, Math.ceil(timeouts.head / 2)),
      // Node's response to a missing Host header has no body, and the service does not need the host.
      requireHostHeader: false,
    },
  });
  addParsers(app);
  addLoadLimits(app, admission, load);
  addNotFoundHandler(app);
  app.setErrorHandler((error, request, reply) => sendError(listeners, error, request, reply));
  app.server.on('checkExpectation', respondToExpectation);
  app.server.on('connect', respondToConnect);
  leaveUnwantedBodiesUnread(app);
  app.decorateRequest('authenticated', undefined);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.headers(privateResponseHeaders);
    done();
  });
  limitLargeResponses(app, timeouts, admission);
  sendTogether(app);
  return app;
}

/**
 * Sends the responses of one turn of the event loop together, after all requests that have arrived are handled. If the
 * receiver sleeps (a proxy or a client on the same machine), the first write wakes it, which takes longer than all the
 * rest of a fast response. The other writes find it awake.
 */
function sendTogether(app: FastifyInstance): void {
  app.addHook('onSend', (_request, _reply, payload, done) => {
    // A stream is sent at once: until then, nothing listens to its errors.
    if (sizeOf(payload) === undefined) done();
    else setImmediate(done);
  });
}

/** Counts large responses, which stay in memory until the client has received them, and limits the time for that. */
function limitLargeResponses(app: FastifyInstance, { response: timeout }: Timeouts, admission: Admission): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload);
    if (size === undefined ? !(payload instanceof LongStream) : size > largeResponse) limitTime(reply.raw, timeout);
    if (size !== undefined && size > largeResponse) {
      const org = requestHolder(request);
      // A write has already been recorded, so its response cannot be rejected.
      const canReject = request.method === 'GET' && reply.statusCode < 400;
      try {
        if (canReject) admission.admit(org, size, reply.raw);
        else admission.hold(org, size, reply.raw);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
    }
    done();
  });
}

/** In bytes; undefined for a stream, which is not kept in memory. */
function sizeOf(payload: unknown): number | undefined {
  if (typeof payload === 'string') return payload.length;
  return payload instanceof Uint8Array ? payload.length : undefined;
}

function limitTime(response: ServerResponse, milliseconds: number): void {
  // The client has left, and the response will not be closed again.
  if (response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), milliseconds);
  response.once('close', () => {
    clearTimeout(timer);
  });
}

/** Passes JSON on as bytes, up to its limit. All other bodies stay unread until their route reads them. */
function addParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    done(null, bytes);
  });
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null, undefined);
  });
}

function noSchemas(): never {
  throw new Error('routes have no schemas of Fastify');
}
