import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorAnswer } from '../../../contract/endpoint.ts';
import { privateResponseHeaders } from '../json-response.ts';
import { httpErrors } from './http-errors.ts';

/** What Node says of bytes that are not a request that it takes. */
interface MalformedRequest extends Error {
  readonly code?: string;
  /** The bytes that were read last: a Buffer, though the framework's types say otherwise. */
  readonly rawPacket?: unknown;
}

/** Answers what is not even HTTP; the connection ends with it. */
export function respondToMalformedRequest(error: MalformedRequest, socket: Duplex): void {
  // An answer that has begun cannot be followed by another, and a socket that is gone takes none.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  endWith(socket, malformedRequestError(error));
}

/** Answers CONNECT, which Node hands over as a bare connection. This service is no proxy. */
export function respondToConnect(_request: IncomingMessage, socket: Duplex): void {
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

function malformedRequestError({ code, rawPacket }: MalformedRequest): ErrorAnswer {
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
export function respondToExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, message } = httpErrors.expectation;
  const body = JSON.stringify({ message });
  response.writeHead(status, { ...answerHeaders(body), connection: 'close' }).end(body);
}
