/** How long an organization stays among them, in milliseconds. */
const duration = 10_000;

/** Organizations that would make others wait if they shared a transaction, because they recently did, or were locked. */
export class LoneOrganizations {
  readonly #elapsed: () => number;
  /** When they leave, the first one first. */
  readonly #until = new Map<string, number>();

  /** @param elapsed monotonic time in milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Adds an organization for a while. */
  add(org: string): void {
    this.#until.delete(org);
    this.#until.set(org, this.#elapsed() + duration);
  }

  has(org: string): boolean {
    this.#removeOld();
    return this.#until.has(org);
  }

  #removeOld(): void {
    const now = this.#elapsed();
    for (const [org, until] of this.#until) {
      if (now < until) return;
      this.#until.delete(org);
    }
  }
}
