/** Collects all bytes of a stream whose chunks are valid only until the next one is requested. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** Collects all bytes of a request's body. */
export async function collectBody(body: string | Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  return typeof body === 'object' && Symbol.asyncIterator in body ? collectBytes(body) : Buffer.from(body);
}
