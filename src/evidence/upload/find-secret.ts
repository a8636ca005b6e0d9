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
 */
export async function containsSecret(
  content: Content,
  search: SecretSearch,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (search.isEmpty) return false;
  search.begin();
  let isGzip: boolean | undefined;
  for await (const chunk of content.open()) {
    signal?.throwIfAborted();
    isGzip ??= gzipMagic.equals(chunk.subarray(0, gzipMagic.length));
    if (search.isIn(chunk)) return true;
  }
  return isGzip === true && isInUnpacked(content, search, signal);
}

async function isInUnpacked(content: Content, search: SecretSearch, signal: AbortSignal | undefined): Promise<boolean> {
  // Few files need it.
  const { createGunzip } = await import('node:zlib');
  const packed = Readable.from(copies(content), { objectMode: false });
  const unpacked = packed.pipe(createGunzip());
  const chunks: AsyncIterable<unknown> = unpacked;
  search.begin();
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

/** Searches streams for texts, one stream after the other, also across the borders of chunks. */
export class SecretSearch {
  readonly #needles: readonly Buffer[];
  /** One byte less than the longest text. */
  readonly #overlap: number;
  /** The end of the chunks before, then the beginning of the next one. Reused, because there can be many small files. */
  readonly #border: Buffer;
  #kept = 0;

  /** @param forms the secrets in all their encodings */
  constructor(forms: readonly string[]) {
    // A form in which another one occurs, as in most basic credentials, is found with it.
    const shortest = forms.filter((form) => !forms.some((other) => other !== form && form.includes(other)));
    // Without the last byte, the little-endian form of ASCII is in the big-endian one, too.
    this.#needles = shortest.flatMap((form) => [Buffer.from(form), Buffer.from(form, 'utf16le').subarray(0, -1)]);
    this.#overlap = Math.max(0, ...this.#needles.map(({ length }) => length - 1));
    this.#border = Buffer.alloc(2 * this.#overlap);
  }

  get isEmpty(): boolean {
    return this.#needles.length === 0;
  }

  /** Begins another stream. */
  begin(): void {
    this.#kept = 0;
  }

  /** Whether a text is in the next chunk, or began before it. */
  isIn(chunk: Uint8Array): boolean {
    const searched = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const filled = this.#kept + searched.copy(this.#border, this.#kept, 0, this.#overlap);
    const border = this.#border.subarray(0, filled);
    // The border of the first chunk is its beginning.
    const isFound =
      this.#needles.some((needle) => searched.includes(needle)) ||
      (this.#kept > 0 && this.#needles.some((needle) => border.includes(needle)));
    this.#kept = Math.min(filled, this.#overlap);
    if (searched.length < this.#overlap) this.#border.copyWithin(0, filled - this.#kept, filled);
    else searched.copy(this.#border, 0, searched.length - this.#overlap);
    return isFound;
  }
}
