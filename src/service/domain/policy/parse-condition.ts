import { compilePattern, PatternFault } from '../pattern/pattern.ts';
import { comparisons, type Comparison, type Condition, type Value } from './condition.ts';
import { ConditionFault, tokensOf, type Token } from './condition-tokens.ts';

/** The longest condition, in characters. */
export const longestCondition = 1000;

/** How deep parentheses and negations may lie in each other. */
export const deepestCondition = 50;

const wrapped = /^\s*\$\{\{(?<inner>[^]*)\}\}\s*$/u;

/**
 * Reads a condition of a policy (the public documentation of such a service, Policy): `${{ … }}` around `== != < > <= >=`,
 * `and or not`, `in [ … ]`, `exists()` and `matches()` over `flow.name`, `flow.tags.<key>`, `artifact.name` and
 * `artifact.fingerprint`.
 *
 * @throws ConditionFault
 */
export function parseCondition(text: string): Condition {
  if (text.length > longestCondition) throw new ConditionFault(`has more than ${longestCondition} characters`);
  const inner = wrapped.exec(text)?.groups?.['inner'];
  if (inner === undefined) throw new ConditionFault('must stand within `${{` and `}}`');
  const reader = new ConditionReader(tokensOf(inner));
  const condition = reader.readAlternatives();
  reader.demandEnd();
  return condition;
}

// What a path may lead to. A value is a text; the others only exist or not.
const valuePaths = /^(?:flow\.name|flow\.tags\.[\w-]+|artifact\.name|artifact\.fingerprint)$/u;
const otherPaths = /^(?:flow|flow\.tags|artifact)$/u;

/** Reads from the first word to the last; every method begins where the one before ended. */
class ConditionReader {
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  readAlternatives(): Condition {
    return this.#readSeveral('or', () => this.#readSeveral('and', () => this.#readNegation()));
  }

  demandEnd(): void {
    if (this.#token.kind !== 'end') throw this.#fault('expects `and`, `or` or the end');
  }

  #readSeveral(kind: 'and' | 'or', readOne: () => Condition): Condition {
    const first = readOne();
    const parts = [first];
    while (this.#take('word', kind)) parts.push(readOne());
    return parts.length === 1 ? first : { kind, parts };
  }

  #readNegation(): Condition {
    return this.#take('word', 'not')
      ? { kind: 'not', part: this.#readWithin(() => this.#readNegation()) }
      : this.#readBasic();
  }

  #readWithin(readOne: () => Condition): Condition {
    this.#depth += 1;
    if (this.#depth > deepestCondition) throw new ConditionFault(`is nested deeper than ${deepestCondition}`);
    const condition = readOne();
    this.#depth -= 1;
    return condition;
  }

  #readBasic(): Condition {
    if (this.#take('mark', '(')) {
      const condition = this.#readWithin(() => this.readAlternatives());
      this.#demand(')');
      return condition;
    }
    if (this.#take('word', 'exists')) return this.#readExists();
    return this.#take('word', 'matches') ? this.#readMatches() : this.#readComparison();
  }

  #readExists(): Condition {
    this.#demand('(');
    const { kind, text } = this.#token;
    if (kind !== 'word' || !(valuePaths.test(text) || otherPaths.test(text))) {
      throw this.#fault('expects `flow`, `flow.tags`, `artifact` or something of theirs');
    }
    this.#index += 1;
    this.#demand(')');
    return { kind: 'exists', keys: text.split('.') };
  }

  #readMatches(): Condition {
    this.#demand('(');
    const value = this.#readValue();
    this.#demand(',');
    const { kind, text } = this.#token;
    if (kind !== 'text') throw this.#fault('expects a pattern in quotes');
    this.#index += 1;
    this.#demand(')');
    try {
      return { kind: 'matches', value, pattern: compilePattern(text) };
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      throw new ConditionFault(`has the pattern ${JSON.stringify(text)}, which ${error.message}`, { cause: error });
    }
  }

  #readComparison(): Condition {
    const left = this.#readValue();
    const comparison = this.#takeComparison();
    if (comparison !== undefined) return { kind: 'compare', comparison, left, right: this.#readValue() };
    if (this.#take('word', 'in')) return this.#readMembership(left);
    if (this.#take('word', 'not')) {
      if (!this.#take('word', 'in')) throw this.#fault('expects `in` after `not`');
      return { kind: 'not', part: this.#readMembership(left) };
    }
    if (left.kind === 'literal' && typeof left.value === 'boolean') return { kind: 'constant', value: left.value };
    throw this.#fault('expects a comparison such as `==` or `in`');
  }

  #readMembership(value: Value): Condition {
    this.#demand('[');
    const list: Value[] = [];
    while (!this.#take('mark', ']')) {
      if (list.length > 0) this.#demand(',');
      list.push(this.#readValue());
    }
    return { kind: 'in', value, list };
  }

  #readValue(): Value {
    const { kind, text } = this.#token;
    const value = valueOf(kind, text);
    if (value === undefined) {
      throw this.#fault(
        'expects a text in quotes, a number, `flow.name`, `flow.tags.<key>`, `artifact.name` or `artifact.fingerprint`',
      );
    }
    this.#index += 1;
    return value;
  }

  #takeComparison(): Comparison | undefined {
    return comparisons.find((comparison) => this.#take('mark', comparison));
  }

  get #token(): Token {
    return this.#tokens[this.#index] ?? { kind: 'end', text: '', position: 0 };
  }

  #take(kind: Token['kind'], text: string): boolean {
    const seen = this.#token.kind === kind && this.#token.text === text;
    if (seen) this.#index += 1;
    return seen;
  }

  #demand(mark: string): void {
    if (!this.#take('mark', mark)) throw this.#fault(`expects \`${mark}\``);
  }

  #fault(expectation: string): ConditionFault {
    const { kind, text } = this.#token;
    return new ConditionFault(`${expectation}${kind === 'end' ? ' at its end' : ` at ${JSON.stringify(text)}`}`);
  }
}

function valueOf(kind: Token['kind'], text: string): Value | undefined {
  if (kind === 'text') return { kind: 'literal', value: text };
  if (kind === 'number') return { kind: 'literal', value: Number(text) };
  if (kind !== 'word') return undefined;
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
  return valuePaths.test(text) ? { kind: 'path', keys: text.split('.') } : undefined;
}
