import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorAnswer } from '../../../contract/endpoint.ts';
import { StorageBusyError, StorageError, StorageFullError } from '../../storage/storage.ts';
import { validationError, ApiError, retryAfterHeader, httpErrors } from './api-error.ts';
import { sendJson } from '../route.ts';
import { errorCode } from '../../../runtime/failure.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import { valueAt } from '../../../runtime/values.ts';
import type { ServiceLog } from '../../../runtime/log.ts';

/** Who hears of what went wrong within the service. */
export interface ErrorListeners {
  readonly log: ServiceLog;
  /** A request failed because of the storage. */
  storageFailed(error: StorageError): void;
}

/** Answers whatever was thrown, in the one form of error answers. */
export function sendError(
  listeners: ErrorListeners,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = refusalOf(listeners, thrown, request);
  return sendJson(reply.headers(refusal.headers), refusal.status, refusal.body);
}

function refusalOf(listeners: ErrorListeners, thrown: unknown, request: FastifyRequest): ApiError {
  // What a handler refuses because something broke has that as its cause, and the operator must know it.
  const fault = thrown instanceof ApiError ? thrown.cause : thrown;
  if (thrown instanceof ApiError && !(fault instanceof StorageError)) return thrown;
  const known = refusalOfFramework(fault);
  if (known !== undefined) return known;
  const route = request.routeOptions.url ?? 'unknown address';
  listeners.log.error(`request ${request.id}: ${request.method} ${route} failed`, fault);
  if (fault instanceof StorageError && fault.reason !== 'damaged') listeners.storageFailed(fault);
  return thrown instanceof ApiError ? thrown : refusalOfFault(fault, request.id);
}

function refusalOfFault(fault: unknown, id: string): ApiError {
  if (fault instanceof StorageFullError) return new ApiError(httpErrors.storageFull);
  if (fault instanceof StorageBusyError) return new ApiError(httpErrors.busy, { headers: { 'retry-after': '1' } });
  if (fault instanceof StorageError) return new ApiError(httpErrors.storageUnavailable, { headers: retryAfterHeader });
  return new ApiError(httpErrors.internal, { values: { id } });
}

/** The framework's own findings; undefined for what is not the sender's fault. */
function refusalOfFramework(thrown: unknown): ApiError | undefined {
  const given = valueAt(thrown, 'statusCode');
  const status = typeof given === 'number' ? given : 500;
  switch (errorCode(thrown)) {
    case 'FST_ERR_BAD_URL':
      return validationError(['path', 'must be percent-encoded UTF-8']);
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(httpErrors.tooLarge);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(httpErrors.unsupportedType, { values: { type: 'a media type' } });
    default:
      return status >= 400 && status < 500 ? validationError(['request', errorMessage(thrown)]) : undefined;
  }
}

/** An address of the service, with the methods it has. */
interface Address {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/** The headers of every answer. Answers are private: no cache may store them, and no browser may guess their type. */
export const privateResponseHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/**
 * Answers what no route answers: 405 if the address exists with another method, else 404. It does so before the body is
 * read. Call it before routes are added.
 */
export function addNotFound(app: FastifyInstance): void {
  const addresses = new Map<string, Address>();
  app.addHook('onRoute', ({ url, method }) => {
    const address = addresses.get(url) ?? { segments: url.split('/'), methods: new Set() };
    for (const name of [method].flat()) address.methods.add(name);
    addresses.set(url, address);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? noRoute(request, addresses.values()) : undefined);
  });
}

function noRoute({ method, url }: FastifyRequest, addresses: Iterable<Address>): ApiError {
  const path = url.split('?', 1)[0] ?? '';
  const address = [...addresses].find((known) => covers(known, path.split('/')));
  if (address === undefined) return new ApiError(httpErrors.notFound, { values: { method, path } });
  const allowed = [...address.methods].sort().join(', ');
  return new ApiError(httpErrors.methodNotAllowed, { values: { method, allowed }, headers: { allow: allowed } });
}

function covers({ segments }: Address, path: readonly string[]): boolean {
  const fits = (segment: string, index: number): boolean =>
    segment.startsWith(':') ? path[index] !== '' : segment === path[index];
  return segments.length === path.length && segments.every(fits);
}

/** What Node says of bytes that are not a request that it takes. */
interface BrokenRequest extends Error {
  readonly code?: string;
  /** The bytes that were read last: a Buffer, though the framework's types say otherwise. */
  readonly rawPacket?: unknown;
}

/** Answers what is not even HTTP; the connection ends with it. */
export function answerBrokenRequest(error: BrokenRequest, socket: Duplex): void {
  // An answer that has begun cannot be followed by another, and a socket that is gone takes none.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  endWith(socket, brokenRequestAnswer(error));
}

/** Answers CONNECT, which Node hands over as a bare connection. This service is no proxy. */
export function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  endWith(socket, httpErrors.notImplemented);
}

function endWith(socket: Duplex, { status, message }: ErrorAnswer): void {
  const body = JSON.stringify({ message });
  const headers = { ...answerHeaders(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}

function answerHeaders(body: string): Readonly<Record<string, string | number>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...privateResponseHeaders,
  };
}

function brokenRequestAnswer({ code, rawPacket }: BrokenRequest): ErrorAnswer {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return httpErrors.timeout;
    case 'HPE_HEADER_OVERFLOW':
      return httpErrors.headersTooLarge;
    case 'HPE_INVALID_METHOD':
      // Node says so of anything that does not begin with a method it knows.
      return isRequestLine(rawPacket) ? httpErrors.notImplemented : httpErrors.badRequest;
    default:
      return httpErrors.badRequest;
  }
}

/** Whether the bytes begin as a request does (RFC 9112, 3). */
function isRequestLine(bytes: unknown): boolean {
  return Buffer.isBuffer(bytes) && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.\d\r\n/.test(bytes.toString('latin1'));
}

/** Answers an `Expect` header that HTTP does not define, before the framework sees the request. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, message } = httpErrors.expectation;
  const body = JSON.stringify({ message });
  response.writeHead(status, { ...answerHeaders(body), connection: 'close' }).end(body);
}
