import type { Matches } from '../pattern/match-pattern.ts';

/** What a condition of a policy can speak about. */
export interface ConditionSubject {
  readonly artifact: { readonly name: string; readonly fingerprint: string };
  /** The flow that knows the artifact; undefined for an artifact without provenance. */
  readonly flow?: { readonly name: string; readonly tags: Readonly<Record<string, string>> } | undefined;
}

/** A text, number or flag in a condition. */
export type Literal = string | number | boolean;

/** What has a value; a path leads into the subject and can find nothing. */
export type Value =
  { readonly kind: 'literal'; readonly value: Literal } | { readonly kind: 'path'; readonly keys: readonly string[] };

/** The ways to compare two values. */
export const comparisons = ['==', '!=', '<=', '>=', '<', '>'] as const;

/** A way to compare two values. */
export type Comparison = (typeof comparisons)[number];

/** What is true or false of a subject. */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly comparison: Comparison; readonly left: Value; readonly right: Value }
  | { readonly kind: 'in'; readonly value: Value; readonly list: readonly Value[] }
  | { readonly kind: 'exists'; readonly keys: readonly string[] }
  | { readonly kind: 'matches'; readonly value: Value; readonly matches: Matches };

/**
 * Whether the condition is true of the subject. What a path does not find equals nothing, is in no list and matches no
 * pattern; only texts can be ordered with texts (by their UTF-16 code units) and numbers with numbers.
 */
export function holds(condition: Condition, subject: ConditionSubject): boolean {
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'and':
      return condition.parts.every((part) => holds(part, subject));
    case 'or':
      return condition.parts.some((part) => holds(part, subject));
    case 'not':
      return !holds(condition.part, subject);
    case 'compare':
      return compare(condition.comparison, valueOf(condition.left, subject), valueOf(condition.right, subject));
    case 'in': {
      const value = valueOf(condition.value, subject);
      return value !== undefined && condition.list.some((item) => valueOf(item, subject) === value);
    }
    case 'exists':
      return find(subject, condition.keys) !== undefined;
    case 'matches': {
      const value = valueOf(condition.value, subject);
      return typeof value === 'string' && condition.matches(value);
    }
  }
}

function valueOf(value: Value, subject: ConditionSubject): Literal | undefined {
  if (value.kind === 'literal') return value.value;
  const found = find(subject, value.keys);
  return typeof found === 'string' ? found : undefined;
}

function find(subject: ConditionSubject, keys: readonly string[]): unknown {
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
