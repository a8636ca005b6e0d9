/**
 * Runs one task at a time, in the order of the calls. Used for large documents, because each needs several times its
 * size in memory while it is parsed and recorded.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
