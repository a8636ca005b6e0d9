import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorResponse } from '../../../../contract/errors.ts';
import { closeGently, leaveBodyUnread } from '../bodies/unread-body.ts';
import { keysAcceptedHeaders, privateResponseHeaders } from '../json-response.ts';
import { httpErrors } from './http-errors.ts';

interface MalformedRequest extends Error {
  readonly code?: string;
  /** The bytes read last: a Buffer, although the framework's types say otherwise. */
  readonly rawPacket?: unknown;
}

/** Responds to bytes that are not valid HTTP, and closes the connection. */
export function respondToMalformedRequest(error: MalformedRequest, socket: Duplex): void {
  // No response can follow one that has begun, or be sent on a closed socket.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  sendAndClose(socket, malformedRequestError(error));
}

/** Rejects CONNECT, which Node passes on as a raw connection. This service is not a proxy. */
export function respondToConnect(_request: IncomingMessage, socket: Duplex): void {
  sendAndClose(socket, httpErrors.notImplemented);
}

function sendAndClose(socket: Duplex, { status, message }: ErrorResponse): void {
  const body = JSON.stringify({ message });
  const headers = { ...responseHeaders(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // After CONNECT, Node no longer handles the socket's errors, such as a reset by the client.
  socket.on('error', () => undefined);
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
  closeGently(socket);
}

function responseHeaders(body: string): Readonly<Record<string, string | number>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...privateResponseHeaders,
    // The address may be unknown, and may have been one of the interface.
    ...keysAcceptedHeaders,
  };
}

function malformedRequestError({ code, rawPacket }: MalformedRequest): ErrorResponse {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return httpErrors.timeout;
    case 'HPE_HEADER_OVERFLOW':
      return httpErrors.headersTooLarge;
    case 'HPE_INVALID_METHOD':
      // Node reports this for everything that does not begin with a known method.
      return isRequestLine(rawPacket) ? httpErrors.notImplemented : httpErrors.badRequest;
    default:
      return httpErrors.badRequest;
  }
}

/** Whether the bytes begin with a request line (RFC 9112, section 3). */
function isRequestLine(bytes: unknown): boolean {
  return Buffer.isBuffer(bytes) && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.\d\r\n/.test(bytes.toString('latin1'));
}

/** Rejects an unknown `Expect` header, before the framework sees the request. */
export function respondToExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { status, message } = httpErrors.expectation;
  const body = JSON.stringify({ message });
  leaveBodyUnread(request, response);
  response.writeHead(status, { ...responseHeaders(body), connection: 'close' }).end(body);
}
