import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';

/** The maximum number of bytes that are buffered during a write; they are then written at once. */
const waitingBytes = 1024 * 1024;

/**
 * After this many bytes a sync is started while more data arrives, so that not everything is left for the end. Each
 * sync has a cost, which is avoided for smaller files.
 */
const syncedEarlyBytes = 4 * 1024 * 1024;

/**
 * Writes to a new file and hashes the content at the same time. It finishes when the content is on the disk. The caller
 * closes the file. Errors are those of the file system.
 */
export class DurableWriter extends Writable {
  readonly #file: FileHandle;
  readonly #hash: Hash;
  readonly #early: Promise<void>[] = [];
  #size = 0;
  #synced = 0;

  constructor(file: FileHandle, hash: Hash) {
    super({ highWaterMark: waitingBytes });
    this.#file = file;
    this.#hash = hash;
  }

  /** The bytes written so far. */
  get size(): number {
    return this.#size;
  }

  override _writev(entries: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#append(entries.map(({ chunk }) => chunk)).then(() => {
      done();
    }, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    // The system reports a failed sync only once, so an early failure counts even if the last sync succeeds.
    Promise.all(this.#early)
      .then(() => this.#file.sync())
      .then(() => {
        done();
      }, done);
  }

  async #append(chunks: readonly Buffer[]): Promise<void> {
    const content = Buffer.concat(chunks);
    const written = this.#file.writeFile(content);
    this.#hash.update(content);
    this.#size += content.length;
    await written;
    if (this.#size - this.#synced >= syncedEarlyBytes) this.#syncEarly();
  }

  #syncEarly(): void {
    this.#synced = this.#size;
    const synced = this.#file.datasync();
    // Handled in `_final`; this prevents an unhandled rejection until then.
    synced.catch(() => undefined);
    this.#early.push(synced);
  }
}
