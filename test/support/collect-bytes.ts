/** All bytes of what comes in chunks, each of which holds only until the next is asked for. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** The same of a request's body, whichever form it has. */
export async function collectBody(body: string | Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  return typeof body === 'object' && Symbol.asyncIterator in body ? collectBytes(body) : Buffer.from(body);
}
