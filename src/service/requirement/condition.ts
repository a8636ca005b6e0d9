import type { Facts } from '../attestation/facts.ts';
import type { Pattern } from '../platform/pattern/pattern.ts';
import { JudgementBudget } from './judgement-budget.ts';

/** The values that a condition of a policy can refer to. */
export interface ArtifactConditionSubject {
  readonly artifact: { readonly name: string; readonly fingerprint: string };
  /** A flow that the artifact was reported to; undefined for an artifact without provenance. */
  readonly flow?: { readonly name: string; readonly tags: Readonly<Record<string, string>> } | undefined;
}

/** The values that a condition can refer to: those of a policy, or the facts of evidence. */
export type ConditionSubject = ArtifactConditionSubject | { readonly evidence: Facts };

/** A condition on evidence reads a fact that the evidence does not have. The message completes a sentence. */
export class MissingFactError extends Error {
  override readonly name = 'MissingFactError';
}

export type Literal = string | number | boolean;

/** A value in a condition. A path is resolved in the subject and may not exist there. */
export type Value =
  { readonly kind: 'literal'; readonly value: Literal } | { readonly kind: 'path'; readonly keys: readonly string[] };

export const comparisons = ['==', '!=', '<=', '>=', '<', '>'] as const;

export type Comparison = (typeof comparisons)[number];

export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly comparison: Comparison; readonly left: Value; readonly right: Value }
  | { readonly kind: 'in'; readonly value: Value; readonly list: readonly Value[] }
  | { readonly kind: 'exists'; readonly keys: readonly string[] }
  | { readonly kind: 'matches'; readonly value: Value; readonly pattern: Pattern };

/**
 * Whether the condition holds for the subject. A path without a value is not equal to anything, is in no list and
 * matches no pattern. Conditions on evidence are stricter: a missing fact is an error, so that `not` and `!=` cannot turn
 * it into success. The parts of `and` and `or` are evaluated in their order until the result is known, so
 * `not exists(evidence.x) or evidence.x >= 80` does not read a missing fact. Strings are ordered by UTF-16 code units; a
 * string and a number have no order.
 *
 * @throws BudgetExceededError
 * @throws MissingMatchesError
 * @throws MissingFactError
 */
export function holds(condition: Condition, subject: ConditionSubject, budget = new JudgementBudget()): boolean {
  budget.spend(1);
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'and':
      return condition.parts.every((part) => holds(part, subject, budget));
    case 'or':
      return condition.parts.some((part) => holds(part, subject, budget));
    case 'not':
      return !holds(condition.part, subject, budget);
    case 'compare':
      return compare(
        condition.comparison,
        resolveValue(condition.left, subject),
        resolveValue(condition.right, subject),
      );
    case 'in': {
      budget.spend(condition.list.length);
      const value = resolveValue(condition.value, subject);
      return value !== undefined && condition.list.some((item) => resolveValue(item, subject) === value);
    }
    case 'exists':
      return findByPath(subject, condition.keys) !== undefined;
    case 'matches': {
      const value = resolveValue(condition.value, subject);
      return typeof value === 'string' && budget.matches(condition.pattern, value);
    }
  }
}

export function listMatches(condition: Condition): readonly Extract<Condition, { kind: 'matches' }>[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.flatMap(listMatches);
    case 'not':
      return listMatches(condition.part);
    case 'matches':
      return [condition];
    default:
      return [];
  }
}

/**
 * Resolves a value for a subject; undefined if its path does not exist.
 *
 * @throws MissingFactError if it is a fact that the evidence does not have, or a list
 */
export function resolveValue(value: Value, subject: ConditionSubject): Literal | undefined {
  if (value.kind === 'literal') return value.value;
  const found = findByPath(subject, value.keys);
  if (typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean') return found;
  if ('evidence' in subject)
    throw new MissingFactError(`${value.keys.slice(1).join('.')} is ${found === undefined ? 'not known' : 'a list'}`);
  return undefined;
}

/** Lists the paths that a condition reads, each once. */
export function listPaths(condition: Condition): readonly (readonly string[])[] {
  const values = listValues(condition).flatMap((value) => (value.kind === 'path' ? [value.keys] : []));
  return [...new Map(values.map((keys) => [keys.join('.'), keys])).values()];
}

function listValues(condition: Condition): readonly Value[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.flatMap(listValues);
    case 'not':
      return listValues(condition.part);
    case 'compare':
      return [condition.left, condition.right];
    case 'in':
      return [condition.value, ...condition.list];
    case 'exists':
      return [{ kind: 'path', keys: condition.keys }];
    default:
      return [];
  }
}

function findByPath(subject: ConditionSubject, keys: readonly string[]): unknown {
  let current: unknown = subject;
  for (const key of keys) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

function compare(comparison: Comparison, left: Literal | undefined, right: Literal | undefined): boolean {
  if (comparison === '==') return left !== undefined && left === right;
  if (comparison === '!=') return left === undefined || left !== right;
  if (typeof left === 'string' && typeof right === 'string') return inOrder(comparison, left, right);
  return typeof left === 'number' && typeof right === 'number' && inOrder(comparison, left, right);
}

function inOrder<Ordered extends string | number>(
  comparison: Exclude<Comparison, '==' | '!='>,
  left: Ordered,
  right: Ordered,
): boolean {
  switch (comparison) {
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '<=':
      return left <= right;
    case '>=':
      return left >= right;
  }
}
