import type { Now } from '../../../../runtime/clock.ts';

/** The time between two lines about the same phase, in milliseconds. */
const interval = 10_000;

/** Tells the operator what is being done, and how far it is. */
export class Progress {
  readonly #monotonic: Now;
  readonly #writeLine: (line: string) => void;
  #last = 0;

  constructor({ monotonic, writeLine }: { readonly monotonic: Now; readonly writeLine: (line: string) => void }) {
    this.#monotonic = monotonic;
    this.#writeLine = writeLine;
  }

  /** Begins a phase, with a line. */
  begin(line: string): void {
    this.#last = this.#monotonic();
    this.#writeLine(line);
  }

  /** Writes how far the phase is, unless the last line is recent. Call it often. */
  report(describe: () => string): void {
    if (this.#monotonic() - this.#last < interval) return;
    this.begin(describe());
  }
}
