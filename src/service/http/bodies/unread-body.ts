import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';

/** How long a sender may take to read its answer before the connection is closed, in milliseconds. */
const lingering = 1000;

/**
 * Answers a request at once even if its body is still arriving, and reads no more of that body: a stranger's upload must
 * not be read to its end after a 401. The connection ends with the answer. Also sends `100 Continue` only to requests
 * whose body will be read. Call it before routes are added.
 */
export function leaveUnwantedBodiesUnread(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!request.raw.complete && announcesBody(request)) {
      reply.header('connection', 'close');
      closeGently(request.raw);
    }
    done();
  });
  // Without this listener Node sends `100 Continue` before it is known who asks.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    done();
  });
}

function announcesBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Half-closes the connection after the answer, and closes it when the sender had time to read. The kernel resets a
 * connection that is closed with unread data, and the reset can overtake the answer (RFC 9112, 9.6).
 */
function closeGently(request: IncomingMessage): void {
  const { socket } = request;
  // Node calls this after the last byte of an answer with `Connection: close`.
  socket.destroySoon = () => {
    // Node starts to read and drop the rest of the body when the answer is written.
    request.pause();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingering);
    socket.once('close', () => {
      clearTimeout(timer);
    });
  };
}
