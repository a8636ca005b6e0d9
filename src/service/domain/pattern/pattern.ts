import { RE2JS, RE2JSException } from 're2js';
import { errorMessage } from '../../../runtime/failure.ts';
import { expandedSize } from './expanded-size.ts';
import { parseLiteral } from './literal.ts';

/** A pattern of `matches()`, ready to be looked for. */
export interface Pattern {
  /** In instructions of RE2's program; 1 for a text that is looked for as it is. */
  readonly size: number;
  /** The most steps that looking for it in the text takes. */
  readonly cost: (text: string) => number;
  /** Whether the text has the pattern anywhere in it. */
  readonly matches: (text: string) => boolean;
}

/** The text is not a pattern; the message says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** The longest pattern, in characters. */
export const maximumPatternLength = 500;

/** The largest pattern once its repetitions are written out, in instructions. */
export const maximumPatternSize = 1000;

/** Comparing this many characters takes about as long as one step of the matcher. */
const charactersInStep = 64;

/**
 * Compiles a pattern. Its syntax is RE2's (https://github.com/google/re2/wiki/Syntax), because patterns come from outside
 * and are matched while others wait: whatever the pattern is, matching takes at most size × length steps.
 *
 * @throws PatternError
 */
export function compilePattern(text: string): Pattern {
  if (text.length > maximumPatternLength) throw new PatternError(`has more than ${maximumPatternLength} characters`);
  const literal = parseLiteral(text);
  if (literal.isWhole) return { size: 1, cost: comparisonCost, matches: literal.couldMatch };
  const size = expandedSize(text);
  if (size > maximumPatternSize) {
    throw new PatternError(
      `has a size of ${size} once its repetitions are written out; ${maximumPatternSize} are allowed`,
    );
  }
  const program = compile(text);
  return {
    size: program.programSize(),
    cost: (subject) =>
      comparisonCost(subject) + (literal.couldMatch(subject) ? (subject.length + 1) * program.programSize() : 0),
    // `find` and not `test`, which builds an automaton first: that is faster for most patterns, and up to ten times slower
    // for hostile ones.
    matches: (subject) => literal.couldMatch(subject) && program.matcher(subject).find(),
  };
}

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`is not RE2 syntax: ${errorMessage(error).replace(/^error parsing regexp: /u, '')}`, {
      cause: error,
    });
  }
}

function comparisonCost(subject: string): number {
  return 1 + Math.ceil(subject.length / charactersInStep);
}
