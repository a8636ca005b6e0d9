import type { Pattern } from '../platform/pattern/pattern.ts';

/**
 * Limits for the work of one judgement. Work is counted instead of timed, so that the same rules and facts always give
 * the same result. A judgement that exceeds a limit is "not compliant", with the limit as the reason.
 */
export const judgementLimits = {
  /** Conditions, comparisons and pieces of evidence that are evaluated, all without a pause. */
  steps: 1_000_000,
  /** Steps of the pattern matcher (`Pattern.cost`), for all distinct combinations of pattern and text. */
  patternSteps: 30_000_000,
  /** How many `patternSteps` are done without a pause. */
  patternStepsAtOnce: 200_000,
} as const;

/** A judgement exceeded a limit; the message says which, to complete a sentence. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
}

/** A judgement needs so much pattern matching that it has to be done in portions first (`prepareMatches`). */
export class MissingMatchesError extends Error {
  override readonly name = 'MissingMatchesError';
  readonly needed: Iterable<PatternUse>;

  constructor(needed: Iterable<PatternUse>) {
    super('patterns have to be matched before the judgement');
    this.needed = needed;
  }
}

/** A pattern and a text to match it with. */
export interface PatternUse {
  readonly pattern: Pattern;
  readonly text: string;
}

/** The results of pattern matching so far. Kept for one operation. */
export class KnownMatches {
  readonly #known = new Map<Pattern, Map<string, boolean>>();
  #stepsNow: number = judgementLimits.patternStepsAtOnce;
  /** Whether the limit of pattern steps was reached. */
  isExhausted = false;

  find({ pattern, text }: PatternUse): boolean | undefined {
    return this.#known.get(pattern)?.get(text);
  }

  /** Matches the text; returns undefined if that would exceed the work allowed without a pause. */
  matchNow(use: PatternUse): boolean | undefined {
    const cost = use.pattern.cost(use.text);
    if (cost > this.#stepsNow) return undefined;
    this.#stepsNow -= cost;
    return this.match(use);
  }

  /** Resets the work allowed without a pause. Call it after a pause. */
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
 * Matches the patterns that a judgement needs, up to the limit.
 *
 * @param pause awaited after every portion, so that other requests are served in between
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
    // Looking up a known result counts as a step, too.
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

/** Counts the work of one judgement, and ends it when a limit is exceeded. */
export class JudgementBudget {
  readonly #known: KnownMatches;
  #stepsLeft: number = judgementLimits.steps;

  /** The steps taken so far. */
  get spent(): number {
    return judgementLimits.steps - this.#stepsLeft;
  }

  constructor(known = new KnownMatches()) {
    this.#known = known;
  }

  /** @throws BudgetExceededError */
  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new BudgetExceededError(`it takes more than ${judgementLimits.steps} steps`);
  }

  /**
   * Whether the pattern matches the text.
   *
   * @throws BudgetExceededError
   * @throws MissingMatchesError with an empty `needed`; the caller fills it in, because it has the whole judgement
   */
  matches(pattern: Pattern, text: string): boolean {
    this.spend(1);
    const use = { pattern, text };
    const found = this.#known.find(use) ?? this.#known.matchNow(use);
    if (found !== undefined) return found;
    if (!this.#known.isExhausted) throw new MissingMatchesError([]);
    throw new BudgetExceededError(`its patterns take more than ${judgementLimits.patternSteps} steps`);
  }
}
