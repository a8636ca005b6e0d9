import { Readable } from 'node:stream';

/** The largest buffer of a socket, in bytes: Node's default, and undici's. A TLS socket has a smaller one. */
const socketBufferBytes = 64 * 1024;

/**
 * Turns the chunks of a body into the stream that undici expects. A chunk is requested only when undici reads, never
 * ahead. After a chunk that fills the socket's buffer, undici does not read again until the socket has written
 * everything, so such a chunk is passed on without a copy. A smaller chunk is copied, because the socket may still hold
 * it when the next one is requested.
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
