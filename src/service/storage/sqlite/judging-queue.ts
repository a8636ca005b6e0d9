import { KnownMatches, MatchesMissing, prepareMatches } from '../../domain/policy/work.ts';
import { Turns } from '../turns.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * Writes that may judge environments. A write cannot pause, so one that needs much matching of patterns is given up, the
 * matching is done in portions between other work, and the write begins anew with the matches at hand.
 */
export class JudgingQueue {
  readonly #queue: WriteQueue;
  /** One portion a turn, whoever asks for it. */
  readonly #turns = new Turns();

  constructor(queue: WriteQueue) {
    this.#queue = queue;
  }

  /** Reads what is committed. */
  read<Result>(run: () => Result): Promise<Result> {
    return this.#queue.read(run);
  }

  /** Runs the write within the next group's transaction. It may be run again, so it changes the database only. */
  async write<Result>(work: (matches: KnownMatches) => Result): Promise<Result> {
    const matches = new KnownMatches();
    for (;;) {
      try {
        return await this.#queue.write(() => work(matches));
      } catch (error) {
        if (!(error instanceof MatchesMissing)) throw error;
        await prepareMatches(matches, error.needed, () => this.#turns.next());
      }
    }
  }
}
