import { Turns } from '../../../runtime/turns.ts';
import { PolicyCache } from './policy-cache.ts';

/** What all judging of a process shares. */
export class Judging {
  /** Matching of patterns that takes long is done in portions, one a turn, whoever asks for it. */
  readonly turns = new Turns();
  readonly policies = new PolicyCache();
  #listener: () => void = () => undefined;

  /** Calls the listener after every commit that leaves snapshots to be made. There is one listener. */
  onSnapshotsPending(listener: () => void): void {
    this.#listener = listener;
  }

  /** Call it after a commit that leaves snapshots to be made. */
  announcePending(): void {
    this.#listener();
  }
}
