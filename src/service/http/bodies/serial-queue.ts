/**
 * Lets one piece of work at a time run, in the order of asking. Large documents take turns, because each needs several
 * times its size in memory while it is read and recorded.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
