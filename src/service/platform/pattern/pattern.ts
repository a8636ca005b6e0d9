import { RE2JS, RE2JSException } from 're2js';
import { errorMessage } from '../../../runtime/failure.ts';
import { expandedSize } from './expanded-size.ts';
import { parseLiteral } from './literal.ts';

/** A compiled pattern of `matches()`. */
export interface Pattern {
  /** In instructions of the RE2 program; 1 for a literal. */
  readonly size: number;
  /** The maximum number of steps that matching the text takes. */
  readonly cost: (text: string) => number;
  /** Whether the pattern matches anywhere in the text. */
  readonly matches: (text: string) => boolean;
}

/** The pattern is invalid; the message completes a sentence that names the pattern. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** In characters. */
export const maximumPatternLength = 500;

/** In instructions, with repetitions expanded. */
export const maximumPatternSize = 1000;

/** Comparing this many characters takes about as long as one matcher step. */
const charactersInStep = 64;

/**
 * Compiles a pattern in RE2 syntax (https://github.com/google/re2/wiki/Syntax). RE2 matches any pattern in at most size
 * × length steps, which matters because patterns are foreign input and matching blocks other requests.
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
    // `find` instead of `test`: `test` builds an automaton first, which is faster for most patterns but up to ten times
    // slower for hostile ones.
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
