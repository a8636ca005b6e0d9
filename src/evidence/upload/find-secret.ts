import { Readable } from 'node:stream';

/** Content that can be read several times. A chunk is valid only until the next is requested. */
export interface Content {
  open(): AsyncIterable<Uint8Array>;
}

/** The first bytes of a gzip file (RFC 1952). */
const gzipMagic = Buffer.from([0x1f, 0x8b]);

/**
 * Whether content contains a secret, also if it is compressed with gzip, as the archives of this action are. Other
 * archives are searched as they are.
 *
 * @param forms the secrets in all their encodings
 */
export async function containsSecret(
  content: Content,
  forms: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (forms.length === 0) return false;
  const first = new SecretSearch(forms);
  let isGzip: boolean | undefined;
  for await (const chunk of content.open()) {
    signal?.throwIfAborted();
    isGzip ??= gzipMagic.equals(chunk.subarray(0, gzipMagic.length));
    if (first.isIn(chunk)) return true;
  }
  return isGzip === true && isInUnpacked(content, forms, signal);
}

async function isInUnpacked(
  content: Content,
  forms: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // Few files need it.
  const { createGunzip } = await import('node:zlib');
  const packed = Readable.from(copies(content), { objectMode: false });
  const unpacked = packed.pipe(createGunzip());
  const chunks: AsyncIterable<unknown> = unpacked;
  const search = new SecretSearch(forms);
  try {
    for await (const chunk of chunks) {
      if (signal?.aborted === true) break;
      if (chunk instanceof Uint8Array && search.isIn(chunk)) return true;
    }
  } catch {
    // It only begins like a gzip file, or is damaged: what can be unpacked was searched.
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
  signal?.throwIfAborted();
  return false;
}

async function* copies(content: Content): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of content.open()) yield Buffer.from(chunk);
}

/** Searches a stream for texts, also across the borders of its chunks. */
class SecretSearch {
  readonly #forms: readonly Buffer[];
  /** One byte less than the longest text. */
  readonly #overlap: number;
  #end = Buffer.alloc(0);

  constructor(forms: readonly string[]) {
    // A form in which another one occurs, as in most basic credentials, is found with it.
    const shortest = forms.filter((form) => !forms.some((other) => other !== form && form.includes(other)));
    this.#forms = shortest.map((form) => Buffer.from(form, 'utf8'));
    this.#overlap = Math.max(0, ...this.#forms.map(({ length }) => length - 1));
  }

  /** Copies no more than the borders: an attachment has megabytes. */
  isIn(chunk: Uint8Array): boolean {
    const searched = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const border = Buffer.concat([this.#end, searched.subarray(0, this.#overlap)]);
    const rest = searched.subarray(-this.#overlap);
    this.#end = rest.length < this.#overlap ? border.subarray(-this.#overlap) : Buffer.from(rest);
    return this.#forms.some((form) => border.includes(form) || searched.includes(form));
  }
}
