import type { After } from '../../../runtime/clock.ts';

/** How long entries are collected before they are written together, in milliseconds. */
const writeDelay = 30_000;

interface Options<Entry> {
  readonly after: After;
  readonly toOrganization: (entry: Entry) => string;
  /** Writes the entries of an organization. Must not reject. */
  readonly write: (org: string, entries: readonly Entry[]) => Promise<void>;
}

/**
 * Collects entries and writes them in the background, one write for each organization, so that no request waits for
 * them. A crash loses the entries of the last half minute.
 */
export class DelayedWrites<Entry> {
  readonly #options: Options<Entry>;
  #waiting: Entry[] = [];
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: Options<Entry>) {
    this.#options = options;
  }

  add(entry: Entry): void {
    this.#waiting.push(entry);
    this.#cancel ??= this.#options.after(writeDelay, () => {
      void this.flush();
    });
  }

  /** Writes the entries that were added, and waits until they are written. Never rejects. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { toOrganization, write } = this.#options;
    const entries = this.#waiting;
    this.#waiting = [];
    await Promise.all([...Map.groupBy(entries, toOrganization)].map(([org, own]) => write(org, own)));
  }
}
