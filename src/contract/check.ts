// Not TypeBox's own checker, because that takes 12 ms of every step (docs/contributing/performance.md).
import { findPatternRule, type Static, type TSchema } from './schema.ts';

/** One place where a value does not conform to its schema. */
export interface Violation {
  /** The place, as dotted keys: `sonar_results.project.key`; empty for the value itself. */
  readonly field: string;
  /** The rule that is violated, for example `must be integer`. */
  readonly rule: string;
}

/** The maximum number of violations to report: a hostile document can contain millions. */
const maximumViolations = 100;

/** Whether the value conforms to the schema. */
export function conforms<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  const checker = new Checker(1);
  checker.check(schema, value);
  return checker.found.size === 0;
}

/** The first hundred fields that do not conform, each once; empty if and only if the value conforms. */
export function violations(schema: TSchema, value: unknown): readonly Violation[] {
  const checker = new Checker(maximumViolations);
  checker.check(schema, value);
  return [...checker.found].map(([field, rules]) => ({ field, rule: [...rules].join(' or ') }));
}

/** A schema as a record of its keywords, or any JSON object. */
export type Keywords = Readonly<Record<string, unknown>>;

/**
 * Checks values by the JSON Schema keywords that the contract uses. Tests ensure that the contract uses no others and
 * that the decisions equal TypeBox's. Lists can be long, so checking a value that conforms allocates nothing: the path
 * of a violation is formatted only if there is one.
 */
class Checker {
  readonly found = new Map<string, Set<string>>();
  readonly #maximum: number;
  readonly #patterns = new Map<string, RegExp>();
  /** The keys that lead from the root value to the value being checked. */
  readonly #path: (string | number)[];

  constructor(maximum: number, path: readonly (string | number)[] = []) {
    this.#maximum = maximum;
    this.#path = [...path];
  }

  check(schema: unknown, value: unknown): void {
    if (this.found.size >= this.#maximum || !isObject(schema)) return;
    const { anyOf, type } = schema;
    const allowed: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
    if (Array.isArray(anyOf)) this.#checkUnion(anyOf, value);
    else if (Array.isArray(allowed)) this.#checkChoice(allowed, value);
    else if (typeof type === 'string') this.#checkType(schema, type, value);
  }

  #checkAt(key: string | number, schema: unknown, value: unknown): void {
    this.#path.push(key);
    this.check(schema, value);
    this.#path.pop();
  }

  #report(rule: string): void {
    this.#reportField(this.#path.join('.'), rule);
  }

  #reportAt(key: string, rule: string): void {
    this.#reportField([...this.#path, key].join('.'), rule);
  }

  #reportField(field: string, rule: string): void {
    const rules = this.found.get(field);
    if (rules !== undefined) rules.add(rule);
    else if (this.found.size < this.#maximum) this.found.set(field, new Set([rule]));
  }

  #checkChoice(allowed: readonly unknown[], value: unknown): void {
    if (allowed.includes(value)) return;
    const words = allowed.map((choice) => JSON.stringify(choice)).join(', ');
    this.#report(allowed.length === 1 ? `must be ${words}` : `must be one of ${words}`);
  }

  /** One of the schemas must match. If none does, reports what each of them requires, or those with the value's `type`. */
  #checkUnion(members: readonly unknown[], value: unknown): void {
    // Most unions are a type or null, and every list entry has several; these need no checker of their own.
    for (const member of members) if (isBareTypeMatch(member, value)) return;
    const checkers = members.map((member) => {
      const checker = new Checker(this.#maximum, this.#path);
      checker.check(member, value);
      return checker;
    });
    if (checkers.some((checker) => checker.found.size === 0)) return;
    const type = isObject(value) ? value['type'] : undefined;
    const ofType = checkers.filter((_, index) => isOfType(members[index], type));
    for (const { found } of ofType.length > 0 ? ofType : checkers) {
      for (const [where, rules] of found) for (const rule of rules) this.#reportField(where, rule);
    }
  }

  #checkType(schema: Keywords, type: string, value: unknown): void {
    if (!hasType(type, value)) this.#report(`must be ${type}`);
    else if (typeof value === 'string') this.#checkText(schema, value);
    else if (typeof value === 'number') this.#checkNumber(schema, value);
    else if (Array.isArray(value)) this.#checkList(schema, value);
    else if (isObject(value)) this.#checkObject(schema, value);
  }

  #checkText(schema: Keywords, value: string): void {
    const { pattern, minLength, maxLength } = schema;
    if (typeof pattern === 'string' && !this.#compiled(pattern).test(value)) {
      this.#report(findPatternRule(schema) ?? `must match pattern "${pattern}"`);
    }
    if (typeof minLength === 'number' && countCharacters(value) < minLength) {
      this.#report(`must not have fewer than ${minLength} characters`);
    }
    if (typeof maxLength === 'number' && isLonger(value, maxLength)) {
      this.#report(`must not have more than ${maxLength} characters`);
    }
  }

  /** Compiles each pattern once per checker. */
  #compiled(pattern: string): RegExp {
    const compiled = this.#patterns.get(pattern) ?? new RegExp(pattern, 'u');
    this.#patterns.set(pattern, compiled);
    return compiled;
  }

  #checkNumber({ minimum, maximum }: Keywords, value: number): void {
    if (typeof minimum === 'number' && value < minimum) this.#report(`must be >= ${minimum}`);
    if (typeof maximum === 'number' && value > maximum) this.#report(`must be <= ${maximum}`);
  }

  #checkList({ items, minItems, maxItems }: Keywords, value: readonly unknown[]): void {
    if (typeof minItems === 'number' && value.length < minItems) {
      this.#report(`must not have fewer than ${minItems} items`);
    }
    if (typeof maxItems === 'number' && value.length > maxItems) {
      this.#report(`must not have more than ${maxItems} items`);
    }
    let index = 0;
    for (const item of value) {
      if (this.found.size >= this.#maximum) return;
      this.#checkAt(index, items, item);
      index += 1;
    }
  }

  #checkObject(schema: Keywords, value: Keywords): void {
    const { properties, required } = schema;
    this.#checkKeys(schema, value);
    const necessary: readonly unknown[] = Array.isArray(required) ? required : noKeys;
    for (const key of necessary) {
      if (typeof key === 'string' && !Object.hasOwn(value, key)) this.#reportAt(key, 'is missing');
    }
    // `for in`, because `Object.keys` would allocate a list for every entry. Inherited keys are skipped.
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      if (this.found.size >= this.#maximum) return;
      const item = value[key];
      if (!isObject(properties) || !Object.hasOwn(properties, key)) this.#checkUndeclared(schema, key, item);
      // An optional key whose value is undefined counts as absent.
      else if (item !== undefined || necessary.includes(key)) this.#checkAt(key, properties[key], item);
    }
  }

  /** The message does not repeat the key: it can be as long as the document. */
  #checkKeys({ propertyNames }: Keywords, value: Keywords): void {
    if (propertyNames === undefined) return;
    const checker = new Checker(1);
    for (const key in value) checker.check(propertyNames, key);
    for (const rules of checker.found.values()) for (const rule of rules) this.#report(`has a key that ${rule}`);
  }

  /** A key that is not among the declared properties. */
  #checkUndeclared({ additionalProperties }: Keywords, key: string, item: unknown): void {
    if (additionalProperties === false) this.#reportAt(key, 'is not a known field');
    else this.#checkAt(key, additionalProperties, item);
  }
}

const noKeys: readonly never[] = [];

/** Whether the value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the schema requires nothing but a type, and the value has that type. */
function isBareTypeMatch(schema: unknown, value: unknown): boolean {
  if (!isObject(schema)) return false;
  for (const keyword in schema) if (keyword !== 'type') return false;
  return typeof schema['type'] === 'string' && hasType(schema['type'], value);
}

/** Whether the schema is for objects with this `type`, such as one kind of target. */
function isOfType(schema: unknown, type: unknown): boolean {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  const declared = isObject(properties) ? properties['type'] : undefined;
  return isObject(declared) && 'const' in declared && declared['const'] === type;
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

/** The length of a text in characters as JSON Schema counts them: in code points. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** Whether a text has more than `maximum` characters. Counts them only if necessary. */
function isLonger(text: string, maximum: number): boolean {
  // A character is one or two UTF-16 units, which is what `length` counts.
  return text.length > maximum && (text.length > 2 * maximum || countCharacters(text) > maximum);
}
