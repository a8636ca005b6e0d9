import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';

/** How long a client may take to read the response before the connection is closed, in milliseconds. */
const lingerTime = 1000;

/**
 * Responds at once even if the body is still arriving, and reads no more of it: an upload must not be read to its end
 * after a 401. The connection is closed after the response. Also sends `100 Continue` only if the body will be read.
 * Call it before routes are added.
 */
export function leaveUnwantedBodiesUnread(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    leaveBodyUnread(request.raw, reply.raw);
    done();
  });
  // Without this listener Node sends `100 Continue` before authentication.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    // If the client has left while its key was looked up, reading the body would never end.
    done(request.raw.readableAborted ? new ApiError(httpErrors.badRequest) : undefined);
  });
}

/** Does the same for a response that no hook sees. Call it before the response is sent. */
export function leaveBodyUnread(request: IncomingMessage, response: ServerResponse): void {
  const { headers, socket } = request;
  const announcesBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (request.complete || request.destroyed || !announcesBody) return;
  response.setHeader('connection', 'close');
  // Node calls this after the last byte of a response with `Connection: close`.
  socket.destroySoon = () => {
    // Node would otherwise read and discard the rest of the body after the response.
    request.pause();
    closeGently(socket);
  };
}

/**
 * Half-closes the connection, and closes it after the client had time to read. The kernel resets a connection that is
 * closed with unread data, and the reset can arrive before the response (RFC 9112, section 9.6).
 */
export function closeGently(socket: Duplex): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerTime);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
