import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { errorCode } from '../runtime/failure.ts';

/** Error codes of a write to a connection that the other side has closed. The third one is for Windows. */
const closedByPeer: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED']);

/** Wraps a connector, so that its sockets read what has arrived before a failed write destroys them. */
export function readingAnswerFirst(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, readAnswerFirst(socket));
      else callback(error, null);
    });
  };
}

type Done = (error?: Error | null) => void;

/**
 * Lets a socket read what has arrived before it fails because of a write. A server that refuses an upload (401, 413)
 * answers, closes the connection, and reads nothing more. The next write then fails while the answer lies unread in the
 * socket: Node.js would destroy the socket, and the answer with it. So the failure is held back until everything is
 * read.
 *
 * A socket that then neither reads nor ends is closed by the deadline of its request.
 *
 * This wraps the methods that Node.js documents for implementers of streams, because only they run before the socket
 * destroys itself. undici cannot prevent that, and a body that waits for a turn before each chunk would still lose
 * answers that arrive while a large chunk is half written.
 */
function readAnswerFirst<Connection extends Socket>(socket: Connection): Connection {
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
