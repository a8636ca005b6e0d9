/**
 * Finds the SHA-256 at the end of a text: `docker-pullable://repo@sha256:…`, `repo@sha256:…`, or `sha256:…` alone.
 *
 * @returns 64 lowercase hex digits; undefined if there is none, for example because the image is still being pulled or the
 * digest uses another algorithm
 */
export function imageDigest(text: string): string | undefined {
  return /(?:^|[@/])sha256:([a-f0-9]{64})$/u.exec(text)?.[1];
}

/** The images of one instance, such as a pod, with their digests. */
export class ImageDigests {
  readonly #digests = new Map<string, string>();

  get size(): number {
    return this.#digests.size;
  }

  /** If a tag moved between two starts, it names two images: the second is named with its digest, to keep both. */
  add(image: string, digest: string): void {
    const known = this.#digests.get(image);
    this.#digests.set(known === undefined || known === digest ? image : `${image}@sha256:${digest}`, digest);
  }

  toRecord(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#digests);
  }
}
