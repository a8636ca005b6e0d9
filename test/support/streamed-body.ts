import { Readable } from 'node:stream';
import type { RequestBody } from '../../src/http/exchange.ts';

/** A body that counts what is read of it. */
export interface StreamedBody extends RequestBody {
  /** The streams that were opened, one for each attempt. */
  readonly streams: readonly Readable[];
  /** How many bytes were read of all of them. */
  read(): number;
}

/** A body of so many bytes, made as it is read. */
export function streamedBody(bytes: number): StreamedBody {
  const streams: Readable[] = [];
  let read = 0;
  function* chunks(): Generator<Buffer> {
    for (let left = bytes; left > 0; left -= 64 * 1024) {
      const chunk = Buffer.alloc(Math.min(left, 64 * 1024), 'x');
      read += chunk.length;
      yield chunk;
    }
  }
  return {
    contentType: 'application/octet-stream',
    length: bytes,
    streams,
    read: () => read,
    open() {
      const stream = Readable.from(chunks(), { objectMode: false });
      streams.push(stream);
      return stream;
    },
  };
}
