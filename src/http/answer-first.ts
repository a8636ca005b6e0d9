import type { Socket } from 'node:net';
import { errorCode } from '../runtime/failure.ts';

/** The errors of writing to a connection that the other side has closed; Windows has a third name for it. */
const closedByPeer: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED']);

type Done = (error?: Error | null) => void;

/**
 * Lets a socket read what has arrived before it fails because of a write. A server that refuses an upload (401, 413)
 * answers, closes the connection, and reads nothing more. The next write then fails while the answer lies unread in the
 * socket: Node.js would destroy the socket, and the answer with it. So the failure is held back until everything is read.
 *
 * A socket that then neither reads nor ends is left to the deadline of its request.
 */
export function readAnswerFirst<Connection extends Socket>(socket: Connection): Connection {
  const hold =
    (done: Done): Done =>
    (error) => {
      if (!closedByPeer.has(errorCode(error)) || socket.readableEnded || socket.destroyed) {
        done(error);
        return;
      }
      socket.once('end', () => {
        done(error);
      });
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => {
    write(chunk, encoding, hold(done));
  };
  const writeAll = socket._writev?.bind(socket);
  if (writeAll !== undefined) {
    socket._writev = (chunks, done) => {
      writeAll(chunks, hold(done));
    };
  }
  return socket;
}
