import type { RunningArtifact } from '../../domain/environment/running-artifact.ts';
import { MatchesMissing, Work, type KnownMatches } from '../../domain/policy/work.ts';
import { optional } from './answers.ts';
import type { EnvironmentHead } from './environment-rows.ts';
import type { EnvironmentStatements } from './environment-statements.ts';
import { number, text } from './rows.ts';
import type { SnapshotMaker } from './snapshot-maker.ts';

/** What touched environments. */
export interface Change {
  readonly org: string;
  /** In Unix seconds. */
  readonly at: number;
  /** Whether a snapshot is made even if the verdict stays the same. */
  readonly forced: boolean;
}

/** How much is judged along with one write, in steps of a judgement; the rest follows in writes of its own. */
const stepsAlong = 300_000;

/** What a snapshot takes in itself, in the same steps. */
const stepsOfSnapshot = 5_000;

/** What is left of `stepsAlong`. */
interface Allowance {
  steps: number;
}

/** An environment whose next snapshot is still to be made. */
export interface PendingEnvironment {
  readonly org: string;
  readonly environment: string;
}

/**
 * Makes the snapshots that follow from a change: one change can touch any number of environments, and one environment can be
 * shown by any number of logical ones. A few are made within the write of the change. The others are noted in the same
 * transaction, so that none is forgotten, and made one at a time; whoever reads one of them makes it first. Changes that come
 * closer upon each other than that make one snapshot together.
 */
export class SnapshotUpdates {
  readonly #statements: EnvironmentStatements;
  readonly #maker: SnapshotMaker;
  #noted: () => void = () => undefined;

  constructor(statements: EnvironmentStatements, maker: SnapshotMaker) {
    this.#statements = statements;
    this.#maker = maker;
  }

  /** Calls the listener within every write that leaves snapshots to be made. There is one listener. */
  onNoted(listener: () => void): void {
    this.#noted = listener;
  }

  /**
   * Makes the next snapshot of one environment, now, and updates the logical ones that show it.
   *
   * @param artifacts what runs now; undefined if nothing new is known of that
   * @throws MatchesMissing
   */
  make(name: string, { org, at }: Change, matches: KnownMatches, artifacts?: readonly RunningArtifact[]): void {
    const head = this.#maker.head(org, name);
    if (head === undefined) return;
    const allowance = { steps: stepsAlong };
    if (this.#maker.make(head, at, new Work(matches), artifacts) === 'made') this.#spread(head, at, matches, allowance);
  }

  /** Updates environments, as many as may be along with one write; the others are noted. */
  update(names: Iterable<string>, change: Change, matches: KnownMatches): void {
    this.#update(names, change, matches, { steps: stepsAlong });
  }

  #update(names: Iterable<string>, change: Change, matches: KnownMatches, allowance: Allowance): void {
    const { org, at, forced } = change;
    for (const name of names) {
      if (allowance.steps <= 0 || !this.#attempt(name, change, matches, allowance)) {
        this.#statements.addPending.run(org, name, at, Number(forced));
        this.#noted();
      }
    }
  }

  /** Updates one environment, unless that takes more matching than may be done at once. */
  #attempt(name: string, change: Change, matches: KnownMatches, allowance: Allowance): boolean {
    try {
      this.#updateOne(name, change, matches, allowance);
      return true;
    } catch (error) {
      if (!(error instanceof MatchesMissing)) throw error;
      allowance.steps = 0;
      return false;
    }
  }

  #updateOne(name: string, { org, at, forced }: Change, matches: KnownMatches, allowance: Allowance): void {
    const head = this.#maker.head(org, name);
    if (head === undefined) return;
    const work = new Work(matches);
    const noted = this.#statements.findPending.get(org, name);
    const isForced = forced || (noted !== undefined && number(noted, 'forced') === 1);
    const outcome = isForced ? this.#maker.make(head, at, work) : this.#maker.makeIfVerdictChanged(head, at, work);
    if (noted !== undefined) this.#statements.removePending.run(org, name);
    allowance.steps -= stepsOfSnapshot + work.spent;
    if (outcome === 'made') this.#spread(head, at, matches, allowance);
  }

  /** A logical environment gets a snapshot with every new one of a member, because it shows another one then. */
  #spread({ org, name, kind }: EnvironmentHead, at: number, matches: KnownMatches, allowance: Allowance): void {
    if (kind === 'logical') return;
    const showing = this.#statements.showing.all(org, name).map((row) => text(row, 'environment'));
    this.#update(showing, { org, at, forced: true }, matches, allowance);
  }

  /** Which snapshots have to be made before this environment is read: its members' and its own. */
  pendingFor(org: string, name: string): readonly string[] {
    return this.#statements.pendingFor.all(org, name).map((row) => text(row, 'environment'));
  }

  /**
   * Makes some of the snapshots that were noted, going round in a circle.
   *
   * @returns the last one, to go on after; undefined if there was none
   * @throws MatchesMissing
   */
  makeSome(after: PendingEnvironment | undefined, matches: KnownMatches): PendingEnvironment | undefined {
    const allowance = { steps: stepsAlong };
    let last: PendingEnvironment | undefined;
    while (allowance.steps > 0) {
      const next = this.nextPending(last ?? after);
      if (next === undefined) break;
      try {
        this.makePending(next, matches, allowance);
      } catch (error) {
        if (!(error instanceof MatchesMissing) || last === undefined) throw error;
        break;
      }
      last = next;
    }
    return last;
  }

  /** The next one after this one, in a circle; undefined if there is none. */
  nextPending(after: PendingEnvironment | undefined): PendingEnvironment | undefined {
    const { org = '', environment = '' } = after ?? {};
    const row = this.#statements.nextPending.get(org, environment) ?? this.#statements.nextPending.get('', '');
    return optional(row, (found) => ({ org: text(found, 'org'), environment: text(found, 'environment') }));
  }

  /**
   * Makes a snapshot that was noted.
   *
   * @throws MatchesMissing
   */
  makePending(
    { org, environment }: PendingEnvironment,
    matches: KnownMatches,
    allowance: Allowance = { steps: stepsAlong },
  ): void {
    const noted = this.#statements.findPending.get(org, environment);
    if (noted === undefined) return;
    const change = { org, at: number(noted, 'since'), forced: number(noted, 'forced') === 1 };
    this.#updateOne(environment, change, matches, allowance);
  }
}
