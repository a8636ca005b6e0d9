import type { Static, TSchema } from './schema.ts';

/** One place where a value does not have the declared form. */
export interface Violation {
  /** Where, as dotted keys: `sonar_results.project.key`; empty for the value itself. */
  readonly field: string;
  /** What must be true there, for example `must be integer`. */
  readonly rule: string;
}

/** How many violations are looked for: a hostile document can hold millions, and nobody reads more. */
const maximumViolations = 100;

/** Whether the value has the declared form. */
export function conforms<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  const search = new Search(1);
  search.check(schema, value, '');
  return search.found.size === 0;
}

/** The fields that do not have the declared form, each once, the first hundred of them; empty only where all have. */
export function violations(schema: TSchema, value: unknown): readonly Violation[] {
  const search = new Search(maximumViolations);
  search.check(schema, value, '');
  return [...search.found].map(([field, rules]) => ({ field, rule: [...rules].join(' or ') }));
}

type Keywords = Readonly<Record<string, unknown>>;

/**
 * Checks values by the keywords of JSON Schema that the contract uses; a test holds the contract to these, and the
 * decisions to TypeBox's.
 */
class Search {
  readonly found = new Map<string, Set<string>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  check(schema: unknown, value: unknown, field: string): void {
    if (this.found.size >= this.#most || !isKeywords(schema)) return;
    const { anyOf, type } = schema;
    const allowed: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
    if (Array.isArray(anyOf)) this.#checkUnion(anyOf, value, field);
    else if (Array.isArray(allowed)) this.#checkChoice(allowed, value, field);
    else if (typeof type === 'string') this.#checkType(schema, type, value, field);
  }

  #report(field: string, rule: string): void {
    const rules = this.found.get(field);
    if (rules !== undefined) rules.add(rule);
    else if (this.found.size < this.#most) this.found.set(field, new Set([rule]));
  }

  #checkChoice(allowed: readonly unknown[], value: unknown, field: string): void {
    if (allowed.includes(value)) return;
    const words = allowed.map((choice) => JSON.stringify(choice)).join(', ');
    this.#report(field, allowed.length === 1 ? `must be ${words}` : `must be one of ${words}`);
  }

  /** One of the schemas must fit; where none does, what each of them asks for is said. */
  #checkUnion(members: readonly unknown[], value: unknown, field: string): void {
    // Most unions are of a type or null, and lists have several in each entry; these need no search of their own.
    if (members.some((member) => isKeywords(member) && isOnlyOfType(member, value))) return;
    const searches = members.map((member) => {
      const search = new Search(this.#most);
      search.check(member, value, field);
      return search;
    });
    if (searches.some((search) => search.found.size === 0)) return;
    for (const { found } of searches) {
      for (const [where, rules] of found) for (const rule of rules) this.#report(where, rule);
    }
  }

  #checkType(schema: Keywords, type: string, value: unknown, field: string): void {
    if (!isOfType(type, value)) this.#report(field, `must be ${type}`);
    else if (typeof value === 'string') this.#checkText(schema, value, field);
    else if (typeof value === 'number') this.#checkNumber(schema, value, field);
    else if (Array.isArray(value)) this.#checkList(schema, value, field);
    else if (isKeywords(value)) this.#checkObject(schema, value, field);
  }

  #checkText({ pattern, minLength, maxLength }: Keywords, value: string, field: string): void {
    if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) {
      this.#report(field, `must match pattern "${pattern}"`);
    }
    if (typeof minLength === 'number' && value.length < minLength) {
      this.#report(field, `must not have fewer than ${minLength} characters`);
    }
    if (typeof maxLength === 'number' && value.length > maxLength) {
      this.#report(field, `must not have more than ${maxLength} characters`);
    }
  }

  #checkNumber({ minimum, maximum }: Keywords, value: number, field: string): void {
    if (typeof minimum === 'number' && value < minimum) this.#report(field, `must be >= ${minimum}`);
    if (typeof maximum === 'number' && value > maximum) this.#report(field, `must be <= ${maximum}`);
  }

  #checkList({ items, minItems, maxItems }: Keywords, value: readonly unknown[], field: string): void {
    if (typeof minItems === 'number' && value.length < minItems) {
      this.#report(field, `must not have fewer than ${minItems} items`);
    }
    if (typeof maxItems === 'number' && value.length > maxItems) {
      this.#report(field, `must not have more than ${maxItems} items`);
    }
    for (const [index, item] of value.entries()) this.check(items, item, join(field, String(index)));
  }

  #checkObject(schema: Keywords, value: Keywords, field: string): void {
    const properties = isKeywords(schema['properties']) ? schema['properties'] : {};
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    for (const key of required) {
      if (typeof key === 'string' && !Object.hasOwn(value, key)) this.#report(join(field, key), 'is missing');
    }
    for (const [key, item] of Object.entries(value)) {
      if (this.found.size >= this.#most) return;
      if (!Object.hasOwn(properties, key)) this.#checkFurther(schema, key, item, join(field, key));
      // An optional key that is there and undefined is as good as absent.
      else if (item !== undefined || required.includes(key)) this.check(properties[key], item, join(field, key));
    }
  }

  /** A key that is not among the declared properties. */
  #checkFurther(
    { patternProperties, additionalProperties }: Keywords,
    key: string,
    item: unknown,
    field: string,
  ): void {
    const patterns = isKeywords(patternProperties) ? Object.entries(patternProperties) : [];
    const fitting = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key));
    for (const [, schema] of fitting) this.check(schema, item, field);
    if (fitting.length === 0 && additionalProperties === false) this.#report(field, 'is not a known field');
  }
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the schema asks for nothing but a type, and the value is of it. */
function isOnlyOfType({ type, ...rest }: Keywords, value: unknown): boolean {
  return typeof type === 'string' && Object.keys(rest).length === 0 && isOfType(type, value);
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isKeywords(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function join(field: string, key: string): string {
  return field === '' ? key : `${field}.${key}`;
}
