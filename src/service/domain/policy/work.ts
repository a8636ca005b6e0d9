import type { Pattern } from '../pattern/pattern.ts';

/**
 * How much work one judgement may be: counted and not timed, so that the same rules over the same facts always end alike. A
 * judgement that needs more ends as not compliant, with the limit as its reason.
 */
export const judgementLimits = {
  /** Conditions, comparisons and pieces of evidence that are looked at; a judgement does this without a pause. */
  steps: 1_000_000,
  /** Steps of the pattern matcher (`Pattern.cost`) for the different texts that are matched. */
  patternSteps: 30_000_000,
  /** How many of the latter are done without a pause. */
  patternStepsAtOnce: 200_000,
} as const;

/** A judgement needs more work than it may; the message says of what. */
export class WorkExceeded extends Error {
  override readonly name = 'WorkExceeded';
}

/** A judgement matches so many texts that they have to be matched in portions before (`prepareMatches`). */
export class MatchesMissing extends Error {
  override readonly name = 'MatchesMissing';
  readonly needed: Iterable<PatternUse>;

  constructor(needed: Iterable<PatternUse>) {
    super('patterns have to be matched before the judgement');
    this.needed = needed;
  }
}

/** A text that a pattern is to be looked for in. */
export interface PatternUse {
  readonly pattern: Pattern;
  readonly text: string;
}

/** Which texts have which patterns, as far as that was looked for. Kept for one operation. */
export class KnownMatches {
  readonly #known = new Map<Pattern, Map<string, boolean>>();
  #stepsNow: number = judgementLimits.patternStepsAtOnce;
  /** Whether all that the limit allows was matched. */
  isExhausted = false;

  find({ pattern, text }: PatternUse): boolean | undefined {
    return this.#known.get(pattern)?.get(text);
  }

  /** Looks the pattern up; undefined if that is more than may be done without a pause. */
  matchNow(use: PatternUse): boolean | undefined {
    const cost = use.pattern.cost(use.text);
    if (cost > this.#stepsNow) return undefined;
    this.#stepsNow -= cost;
    return this.match(use);
  }

  /** Lets `matchNow` begin anew, after a pause. */
  resume(): void {
    this.#stepsNow = judgementLimits.patternStepsAtOnce;
  }

  match(use: PatternUse): boolean {
    const { pattern, text } = use;
    const texts = this.#known.get(pattern) ?? new Map<string, boolean>();
    this.#known.set(pattern, texts);
    const found = pattern.matches(text);
    texts.set(text, found);
    return found;
  }
}

/**
 * Matches what a judgement needs, up to the limit.
 *
 * @param pause waited for after every portion, so that others are served in between
 */
export async function prepareMatches(
  known: KnownMatches,
  needed: Iterable<PatternUse>,
  pause: () => Promise<void>,
): Promise<void> {
  let total = 0;
  let portion = 0;
  for (const use of needed) {
    const isKnown = known.find(use) !== undefined;
    // To find that something is known is a step, too.
    const cost = isKnown ? 1 : use.pattern.cost(use.text);
    total += isKnown ? 0 : cost;
    if (total > judgementLimits.patternSteps) {
      known.isExhausted = true;
      break;
    }
    portion += cost;
    if (portion > judgementLimits.patternStepsAtOnce) {
      await pause();
      portion = cost;
    }
    if (!isKnown) known.match(use);
  }
  await pause();
  known.resume();
}

/** Counts the work of one judgement. */
export class Work {
  readonly #known: KnownMatches;
  #stepsLeft: number = judgementLimits.steps;

  /** How many steps were taken. */
  get spent(): number {
    return judgementLimits.steps - this.#stepsLeft;
  }

  constructor(known = new KnownMatches()) {
    this.#known = known;
  }

  /** @throws WorkExceeded */
  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new WorkExceeded(`it takes more than ${judgementLimits.steps} steps`);
  }

  /**
   * Whether the text has the pattern.
   *
   * @throws WorkExceeded
   * @throws MatchesMissing with nothing that is needed; whoever knows all of the judgement fills that in
   */
  matches(pattern: Pattern, text: string): boolean {
    this.spend(1);
    const use = { pattern, text };
    const found = this.#known.find(use) ?? this.#known.matchNow(use);
    if (found !== undefined) return found;
    if (!this.#known.isExhausted) throw new MatchesMissing([]);
    throw new WorkExceeded(`its patterns take more than ${judgementLimits.patternSteps} steps`);
  }
}
