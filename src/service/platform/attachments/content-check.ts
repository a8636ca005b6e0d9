import { createHash } from 'node:crypto';
import { type AttachedContent, DamagedAttachmentError } from './attachments.ts';

export const emptyDigest = createHash('sha256').digest('hex');

/**
 * Passes content on and compares it with its record. Each chunk is held back until the next one is read, so that the
 * last one is emitted after the digest was compared.
 *
 * @throws DamagedAttachmentError instead of the last chunk, if it is not the recorded content
 */
export async function* verifyChunks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  content: AttachedContent,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
    if (size > content.size) throw new DamagedAttachmentError('altered', content);
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (size < content.size) throw new DamagedAttachmentError('truncated', content);
  if (hash.digest('hex') !== content.digest) throw new DamagedAttachmentError('altered', content);
  if (held !== undefined) yield held;
}

/** @throws DamagedAttachmentError if it is not the recorded content */
export async function verifyContent(chunks: AsyncIterable<Buffer>, content: AttachedContent): Promise<void> {
  const verified = verifyChunks(chunks, content);
  while ((await verified.next()).done !== true);
}
