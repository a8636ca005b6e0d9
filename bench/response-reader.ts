const headEnd = Buffer.from('\r\n\r\n');

/**
 * Finds the end of each response on a connection, for a client that sends one request at a time. It supports as much of
 * HTTP as the bench needs: a status, and a body with a Content-Length.
 */
export class ResponseReader {
  #received: Buffer = Buffer.alloc(0);

  /**
   * Adds bytes as they arrive.
   *
   * @returns the status when the response is complete; undefined before
   * @throws Error if the head has no Content-Length
   */
  push(chunk: Buffer): number | undefined {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const end = received.indexOf(headEnd);
    if (end < 0) return undefined;
    const head = received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/iu.exec(head)?.[1];
    if (length === undefined) throw new Error(`a response without Content-Length:\n${head}`);
    if (received.length < end + headEnd.length + Number(length)) return undefined;
    this.#received = Buffer.alloc(0);
    return Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  }
}
