import { Readable } from 'node:stream';

/**
 * The least that fills the buffer of a socket, in bytes: Node.js' own default, and what undici sets; a socket with TLS
 * has a smaller one.
 */
const socketBufferBytes = 64 * 1024;

/**
 * A body in chunks as the stream that undici takes: asked for a chunk only once undici wants one, never ahead. undici
 * stops wanting at a chunk that fills the socket's buffer, until the socket has passed on all it holds; such a chunk is
 * handed over as it is. A smaller one is copied, because the socket may still hold it when the next is asked for.
 *
 * Destroying the stream stops the chunks.
 *
 * @param onChunk called with the length of each chunk when it is handed over
 */
export function createBodyStream(chunks: AsyncIterable<Uint8Array>, onChunk: (bytes: number) => void): Readable {
  const iterator = chunks[Symbol.asyncIterator]();
  return new Readable({
    // Buffers nothing: each chunk is passed on at once.
    highWaterMark: 0,
    read() {
      iterator.next().then(
        ({ done, value }) => {
          if (done !== true) onChunk(value.length);
          this.push(done === true ? null : copyIfSmall(value));
        },
        (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, callback) {
      // Not awaited: a read that hangs must not keep the request from ending. A failure here changes nothing.
      iterator.return?.().then(undefined, () => undefined);
      callback(error);
    },
  });
}

function copyIfSmall(chunk: Uint8Array): Uint8Array {
  return chunk.length < socketBufferBytes ? Buffer.from(chunk) : chunk;
}
