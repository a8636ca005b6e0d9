import { createHash } from 'node:crypto';
import { DamagedAttachmentError, type AttachedContent } from './attachments.ts';

export const emptyDigest = createHash('sha256').digest('hex');

/** Compares content with its record, chunk by chunk. */
export class ContentCheck {
  readonly #content: AttachedContent;
  readonly #hash = createHash('sha256');
  #size = 0;

  constructor(content: AttachedContent) {
    this.#content = content;
  }

  get size(): number {
    return this.#size;
  }

  /** @throws DamagedAttachmentError if it is longer than it should be */
  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    if (this.#size > this.#content.size) throw new DamagedAttachmentError('altered', this.#content);
  }

  /** @throws DamagedAttachmentError if the added content is not the recorded content */
  end(): void {
    if (this.#size < this.#content.size) throw new DamagedAttachmentError('truncated', this.#content);
    if (this.#hash.digest('hex') !== this.#content.digest) throw new DamagedAttachmentError('altered', this.#content);
  }
}

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
  const check = new ContentCheck(content);
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    check.add(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  check.end();
  if (held !== undefined) yield held;
}
