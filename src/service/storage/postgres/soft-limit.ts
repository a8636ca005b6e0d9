import type { After } from '../../../runtime/clock.ts';

/** The settings of a `SoftLimit`. */
export interface SoftLimitSettings {
  /** How many are inside at most, as long as none of them is slow. */
  readonly usual: number;
  /** How long the next one waits at most, in milliseconds. */
  readonly maximumWait: number;
}

/** Lets in a few at the same time. Others wait for one to leave, but not for long, because it may be slow. */
export class SoftLimit {
  readonly #settings: SoftLimitSettings;
  readonly #after: After;
  readonly #waiting = new Set<() => void>();
  #inside = 0;

  constructor(settings: SoftLimitSettings, after: After) {
    this.#settings = settings;
    this.#after = after;
  }

  /** Waits until there is room, and enters. Call `leave` once for each call. */
  async enter(): Promise<void> {
    if (this.#inside >= this.#settings.usual) await this.#wait();
    else this.#inside += 1;
  }

  /** Makes room for the one that has waited longest. */
  leave(): void {
    this.#inside -= 1;
    const [first] = this.#waiting;
    if (this.#inside < this.#settings.usual) first?.();
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel();
        this.#waiting.delete(finish);
        this.#inside += 1;
        resolve();
      };
      const cancel = this.#after(this.#settings.maximumWait, finish);
      this.#waiting.add(finish);
    });
  }
}
