import { compilePattern, PatternError } from '../platform/pattern/pattern.ts';
import { type Comparison, comparisons, type Condition, type Value } from './condition.ts';

/** A token of a condition. */
export interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'mark' | 'end';
  /** Without the quotes of a string. */
  readonly text: string;
}

/** The condition is invalid; the message says why and where; it completes a sentence that names the condition. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

// The matching group is the kind of the token. A word may contain dots and hyphens, because it can be a path:
// `flow.tags.risk-level`.
const form =
  /\s*(?:(?<text>"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(?<number>-?\d+(?:\.\d+)?)|(?<word>[a-zA-Z_][\w-]*(?:\.[\w-]+)*)|(?<mark>[=!<>]=|[<>()[\],])|(?<end>$))/uy;

/** @throws ConditionError */
function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let position = 0; ;) {
    form.lastIndex = position;
    const found = form.exec(text);
    const token = found === null ? undefined : toToken(found);
    if (found === null || token === undefined)
      throw new ConditionError(`cannot be read from ${excerpt(text, position)}`);
    tokens.push(token);
    if (token.kind === 'end') return tokens;
    position = found.index + found[0].length;
  }
}

function toToken(found: RegExpExecArray): Token | undefined {
  const { text, number, word, mark, end } = found.groups ?? {};
  // Only quotes and backslashes are unescaped, so that patterns keep their escapes: `\.` stays `\.`.
  if (text !== undefined) return { kind: 'text', text: text.slice(1, -1).replace(/\\(["'\\])/gu, '$1') };
  if (number !== undefined) return { kind: 'number', text: number };
  if (word !== undefined) return { kind: 'word', text: word };
  if (mark !== undefined) return { kind: 'mark', text: mark };
  return end === undefined ? undefined : { kind: 'end', text: end };
}

function excerpt(text: string, from: number): string {
  const rest = text.slice(from).trimStart();
  return `character ${text.length - rest.length + 1}, at ${JSON.stringify(rest.slice(0, 20))}`;
}

/** In characters. */
export const maximumConditionLength = 1000;

/** How deeply parentheses and negations may be nested. */
export const maximumConditionDepth = 50;

const wrapped = /^\s*\$\{\{(?<inner>[^]*)\}\}\s*$/u;

/**
 * Parses a condition (public documentation of such a service, Policy): `${{ … }}` around `== != < > <= >=`, `and or not`,
 * `in [ … ]`, `exists()` and, in a policy, `matches()` over the values of the vocabulary.
 *
 * @throws ConditionError
 */
export function parseCondition(text: string, vocabulary: Vocabulary = policyVocabulary): Condition {
  if (text.length > maximumConditionLength)
    throw new ConditionError(`has more than ${maximumConditionLength} characters`);
  const inner = unwrapCondition(text);
  if (inner === undefined) throw new ConditionError('must be enclosed in `${{` and `}}`');
  const reader = new ConditionReader(tokenize(inner), vocabulary);
  const condition = reader.readAlternatives();
  reader.requireEnd();
  return condition;
}

/** What a condition can refer to. */
export interface Vocabulary {
  readonly values: RegExp;
  /** The paths that can only be tested with `exists()`. */
  readonly others: RegExp;
  /** The values in words. */
  readonly words: string;
  /** What `exists()` takes, in words. */
  readonly tested: string;
  /** Whether texts can be matched with patterns. */
  readonly hasPatterns: boolean;
}

const policyVocabulary: Vocabulary = {
  values: /^(?:flow\.name|flow\.tags\.[\w-]+|artifact\.name|artifact\.fingerprint)$/u,
  others: /^(?:flow|flow\.tags|artifact)$/u,
  words: '`flow.name`, `flow.tags.<key>`, `artifact.name` or `artifact.fingerprint`',
  tested: '`flow`, `flow.tags`, `artifact` or one of their fields',
  hasPatterns: true,
};

/**
 * The vocabulary of the conditions on evidence: its facts. They have no patterns, whose work would have to be limited as
 * that of policies is.
 */
export const evidenceVocabulary: Vocabulary = {
  values: /^evidence\.[\w-]+$/u,
  others: /^$/u,
  words: '`evidence.<fact>`',
  tested: '`evidence.<fact>`',
  hasPatterns: false,
};

/** A condition without the marks around it; undefined if it has none. */
export function unwrapCondition(text: string): string | undefined {
  return wrapped.exec(text)?.groups?.['inner'];
}

/** A recursive-descent parser. Every method continues where the previous one ended. */
class ConditionReader {
  readonly #tokens: readonly Token[];
  readonly #vocabulary: Vocabulary;
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], vocabulary: Vocabulary) {
    this.#tokens = tokens;
    this.#vocabulary = vocabulary;
  }

  readAlternatives(): Condition {
    return this.#readSeveral('or', () => this.#readSeveral('and', () => this.#readNegation()));
  }

  requireEnd(): void {
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
    if (this.#depth > maximumConditionDepth) throw new ConditionError(`is nested deeper than ${maximumConditionDepth}`);
    const condition = readOne();
    this.#depth -= 1;
    return condition;
  }

  #readBasic(): Condition {
    if (this.#take('mark', '(')) {
      const condition = this.#readWithin(() => this.readAlternatives());
      this.#require(')');
      return condition;
    }
    if (this.#take('word', 'exists')) return this.#readExists();
    if (this.#vocabulary.hasPatterns && this.#take('word', 'matches')) return this.#readMatches();
    return this.#readComparison();
  }

  #readExists(): Condition {
    this.#require('(');
    const { kind, text } = this.#token;
    const { values, others, tested } = this.#vocabulary;
    if (kind !== 'word' || !(values.test(text) || others.test(text))) throw this.#fault(`expects ${tested}`);
    this.#index += 1;
    this.#require(')');
    return { kind: 'exists', keys: text.split('.') };
  }

  #readMatches(): Condition {
    this.#require('(');
    const value = this.#readValue();
    this.#require(',');
    const { kind, text } = this.#token;
    if (kind !== 'text') throw this.#fault('expects a pattern in quotes');
    this.#index += 1;
    this.#require(')');
    try {
      return { kind: 'matches', value, pattern: compilePattern(text) };
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw new ConditionError(`has the pattern ${JSON.stringify(text)}, which ${error.message}`, { cause: error });
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
    this.#require('[');
    const list: Value[] = [];
    while (!this.#take('mark', ']')) {
      if (list.length > 0) this.#require(',');
      list.push(this.#readValue());
    }
    return { kind: 'in', value, list };
  }

  #readValue(): Value {
    const { kind, text } = this.#token;
    const { values, words } = this.#vocabulary;
    const value = toValue(kind, text, values);
    if (value === undefined) throw this.#fault(`expects a text in quotes, a number, ${words}`);
    this.#index += 1;
    return value;
  }

  #takeComparison(): Comparison | undefined {
    return comparisons.find((comparison) => this.#take('mark', comparison));
  }

  get #token(): Token {
    return this.#tokens[this.#index] ?? { kind: 'end', text: '' };
  }

  #take(kind: Token['kind'], text: string): boolean {
    const seen = this.#token.kind === kind && this.#token.text === text;
    if (seen) this.#index += 1;
    return seen;
  }

  #require(mark: string): void {
    if (!this.#take('mark', mark)) throw this.#fault(`expects \`${mark}\``);
  }

  #fault(expectation: string): ConditionError {
    const { kind, text } = this.#token;
    return new ConditionError(`${expectation}${kind === 'end' ? ' at its end' : ` at ${JSON.stringify(text)}`}`);
  }
}

function toValue(kind: Token['kind'], text: string, paths: RegExp): Value | undefined {
  if (kind === 'text') return { kind: 'literal', value: text };
  if (kind === 'number') return { kind: 'literal', value: Number(text) };
  if (kind !== 'word') return undefined;
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
  return paths.test(text) ? { kind: 'path', keys: text.split('.') } : undefined;
}
