import { type After, isRecent, type Now } from '../../runtime/clock.ts';
import type { ServiceLog } from '../../runtime/log.ts';

/** Length of a counting window, in milliseconds. */
const windowLength = 60_000;
/** The maximum number of lines within a window. */
const maximumLines = 60;

/** Writes at most 60 lines a minute, then the number of the others. For lines that clients or targets cause. */
export class LimitedLog {
  readonly #now: Now;
  readonly #after: After;
  readonly #log: Pick<ServiceLog, 'info'>;
  readonly #summarize: (count: number) => string;
  #begun: number;
  #count = 0;
  #cancelSummary: (() => void) | undefined;

  /** @param summarize the line about lines that were left out */
  constructor(
    { now, after, log }: { readonly now: Now; readonly after: After; readonly log: Pick<ServiceLog, 'info'> },
    summarize: (count: number) => string,
  ) {
    this.#now = now;
    this.#after = after;
    this.#log = log;
    this.#summarize = summarize;
    this.#begun = now();
  }

  info(line: string): void {
    const now = this.#now();
    if (!isRecent(this.#begun, windowLength, now)) this.#begin(now);
    this.#count += 1;
    if (this.#count <= maximumLines) this.#log.info(line);
    // A timer, so that the summary is written even if no further line follows.
    else
      this.#cancelSummary ??= this.#after(this.#begun + windowLength - now, () => {
        this.#begin(this.#now());
      });
  }

  /** Writes the pending summary. */
  stop(): void {
    this.#begin(this.#now());
  }

  #begin(now: number): void {
    this.#cancelSummary?.();
    this.#cancelSummary = undefined;
    const left = this.#count - maximumLines;
    this.#begun = now;
    this.#count = 0;
    if (left > 0) this.#log.info(this.#summarize(left));
  }
}
