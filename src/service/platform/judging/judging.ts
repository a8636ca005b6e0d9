import { EventLoopTurns } from '../../../runtime/event-loop-turns.ts';
import { PolicyCache } from './policy-cache.ts';

/** State that all judging in a process shares. */
export class Judging {
  /** Long pattern matching is done in portions, which take turns with each other. */
  readonly turns = new EventLoopTurns();
  readonly policies = new PolicyCache();
  #listener: () => void = () => undefined;

  /** Sets the only listener, which is called after every commit that leaves pending snapshots. */
  onSnapshotsPending(listener: () => void): void {
    this.#listener = listener;
  }

  /** Call it after a commit that leaves pending snapshots. */
  announcePending(): void {
    this.#listener();
  }
}
