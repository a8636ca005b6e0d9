import type { RequestBody } from '../../src/http/transport.ts';

/** A body that counts the bytes that are read. */
export interface StreamedBody extends RequestBody {
  /** How often it was opened, once per attempt. */
  opened(): number;
  /** How many of the opened streams were closed, at their end or before. */
  closed(): number;
  /** How many bytes were read in total. */
  read(): number;
}

/** A body of this many bytes, which is generated in one buffer of 64 KiB as it is read. */
export function streamedBody(bytes: number): StreamedBody {
  const memory = Buffer.alloc(64 * 1024, 'x');
  let opened = 0;
  let closed = 0;
  let read = 0;
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    for (let left = bytes; left > 0; left -= memory.length) {
      const chunk = memory.subarray(0, Math.min(left, memory.length));
      read += chunk.length;
      yield await Promise.resolve(chunk);
    }
  }
  return {
    contentType: 'application/octet-stream',
    length: bytes,
    opened: () => opened,
    closed: () => closed,
    read: () => read,
    open() {
      opened += 1;
      const source = chunks();
      let isClosed = false;
      const close = (): void => {
        if (!isClosed) closed += 1;
        isClosed = true;
      };
      const iterator: AsyncIterator<Uint8Array, void, undefined> = {
        async next() {
          const result = await source.next();
          if (result.done === true) close();
          return result;
        },
        return() {
          close();
          return source.return();
        },
      };
      return { [Symbol.asyncIterator]: () => iterator };
    },
  };
}
