import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';

/** The most that waits while the disk writes, in bytes; it is then written at once. */
const waitingBytes = 1024 * 1024;

/**
 * After so many bytes the disk begins to make durable what it has, while more comes; else all of it would be left for the
 * end. Each time has a price, which smaller files do not have to pay.
 */
const syncedEarlyBytes = 4 * 1024 * 1024;

/**
 * Writes to a new file, and hashes what is written meanwhile. It finishes when the disk has all of it; whoever opened the
 * file closes it. Fails with the system's errors.
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

  /** What is written so far, in bytes. */
  get size(): number {
    return this.#size;
  }

  override _writev(entries: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#append(entries.map(({ chunk }) => chunk)).then(() => {
      done();
    }, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    // The system tells a failure of syncing only once, so an early one counts although the last may succeed.
    Promise.all(this.#early)
      .then(() => this.#file.sync())
      .then(() => {
        done();
      }, done);
  }

  async #append(chunks: readonly Buffer[]): Promise<void> {
    const written = writeAll(this.#file, chunks);
    for (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#size += chunk.length;
    }
    await written;
    if (this.#size - this.#synced >= syncedEarlyBytes) this.#syncEarly();
  }

  #syncEarly(): void {
    this.#synced = this.#size;
    const synced = this.#file.datasync();
    // Thrown at the end; until then nobody looks at it.
    synced.catch(() => undefined);
    this.#early.push(synced);
  }
}

/** The system may write less than it is given. */
async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  for (let left = chunks; left.length > 0;) {
    const { bytesWritten } = await file.writev(left);
    left = after(left, bytesWritten);
  }
}

function after(chunks: readonly Buffer[], count: number): readonly Buffer[] {
  let skipped = count;
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(skipped, chunk.length));
    skipped -= chunk.length - rest.length;
    return rest.length === 0 ? [] : [rest];
  });
}
