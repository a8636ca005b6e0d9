const headEnd = Buffer.from('\r\n\r\n');

/**
 * Tells where the answers on one connection end, for a client that has one request under way at a time. It knows as much
 * of HTTP as the bench needs: a status, and a body whose length the head names.
 */
export class ResponseReader {
  #received: Buffer = Buffer.alloc(0);

  /**
   * Takes bytes as they arrive.
   *
   * @returns the status, once the answer is whole; undefined before
   * @throws Error when the head names no length
   */
  push(chunk: Buffer): number | undefined {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const end = received.indexOf(headEnd);
    if (end < 0) return undefined;
    const head = received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/iu.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer without a length:\n${head}`);
    if (received.length < end + headEnd.length + Number(length)) return undefined;
    this.#received = Buffer.alloc(0);
    return Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  }
}
