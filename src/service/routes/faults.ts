import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorAnswer } from '../../contract/endpoint.ts';
import { codeOf, messageOf, statusCodeOf } from '../domain/thrown.ts';
import { StorageBusyError, StorageFullError } from '../store/store.ts';
import type { ServiceLog } from './log.ts';
import { invalid, Refusal, serviceErrors } from './refusal.ts';
import { sendJson } from './route.ts';

/** Answers whatever was thrown, in the one form of error answers. */
export function answerFault(
  log: ServiceLog,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = refusalOf(log, thrown, request);
  return sendJson(reply.headers(refusal.headers), refusal.status, refusal.body);
}

function refusalOf(log: ServiceLog, thrown: unknown, request: FastifyRequest): Refusal {
  if (thrown instanceof Refusal) return thrown;
  const known = refusalOfFramework(thrown);
  if (known !== undefined) return known;
  log.error(`request ${request.id}: ${request.method} ${request.routeOptions.url ?? 'unknown address'} failed`, thrown);
  if (thrown instanceof StorageFullError) return new Refusal(serviceErrors.storageFull);
  if (thrown instanceof StorageBusyError) return new Refusal(serviceErrors.busy, { headers: { 'retry-after': '1' } });
  return new Refusal(serviceErrors.internal, { values: { id: request.id } });
}

/** The framework's own findings; undefined for what is not the sender's fault. */
function refusalOfFramework(thrown: unknown): Refusal | undefined {
  const status = statusCodeOf(thrown) ?? 500;
  switch (codeOf(thrown)) {
    case 'FST_ERR_BAD_URL':
      return invalid(['path', 'must be percent-encoded UTF-8']);
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(serviceErrors.tooLarge);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(serviceErrors.unsupportedType, { values: { type: 'a media type' } });
    default:
      return status >= 400 && status < 500 ? invalid(['request', messageOf(thrown)]) : undefined;
  }
}

/** An address of the service, with the methods it has. */
interface Address {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/** Answers what no route answers: 405 where the address exists, 404 where it does not. Call it before routes are added. */
export function addNotFound(app: FastifyInstance): void {
  const addresses = new Map<string, Address>();
  app.addHook('onRoute', ({ url, method }) => {
    const address = addresses.get(url) ?? { segments: url.split('/'), methods: new Set() };
    for (const name of [method].flat()) address.methods.add(name);
    addresses.set(url, address);
  });
  app.setNotFoundHandler((request) => {
    const { method } = request;
    const path = request.url.split('?', 1)[0] ?? '';
    const address = [...addresses.values()].find((known) => covers(known, path.split('/')));
    if (address === undefined) throw new Refusal(serviceErrors.notFound, { values: { method, path } });
    const allowed = [...address.methods].sort().join(', ');
    throw new Refusal(serviceErrors.methodNotAllowed, { values: { method, allowed }, headers: { allow: allowed } });
  });
}

function covers({ segments }: Address, path: readonly string[]): boolean {
  const fits = (segment: string, index: number): boolean =>
    segment.startsWith(':') ? path[index] !== '' : segment === path[index];
  return segments.length === path.length && segments.every(fits);
}

/** Answers what is not even HTTP; the connection ends with it. */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  // An answer that has begun cannot be followed by another, and a socket that is gone takes none.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = brokenRequestAnswer(error.code);
  const body = JSON.stringify({ message: answer.message });
  socket.end(
    [
      `HTTP/1.1 ${answer.status} Refused`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function brokenRequestAnswer(code: string | undefined): ErrorAnswer {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return serviceErrors.timeout;
  return code === 'HPE_HEADER_OVERFLOW' ? serviceErrors.headersTooLarge : serviceErrors.badRequest;
}

/** Answers an `Expect` header that HTTP does not define, before the framework sees the request. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, message } = serviceErrors.expectation;
  const body = JSON.stringify({ message });
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
}
