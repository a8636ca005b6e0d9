/**
 * The patterns of `matches()`, the regular part of regular expressions: characters, `.`, classes, groups, alternatives,
 * repetitions and anchors. What is left out (references back, looking ahead) is what no matcher can do in linear time.
 */

/** A pattern taken apart. */
export type PatternNode =
  /** One character that belongs to a set; given by its code point. */
  | { readonly kind: 'set'; readonly has: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'either'; readonly choices: readonly PatternNode[] }
  /** `most` is Infinity where there is no end. */
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number }
  /** The beginning or the end of the text. */
  | { readonly kind: 'start' | 'end' };

/** Whether a character, by its code point, belongs to a set. */
export type CharacterSet = (code: number) => boolean;

/** The text is no pattern that is understood here; the message says why. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}

/** The longest pattern, in characters. */
export const longestPattern = 500;
const largestCount = 100;

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
const within =
  (first: string, last: string): CharacterSet =>
  (code) =>
    code >= codeOf(first) && code <= codeOf(last);
const anyOf =
  (sets: readonly CharacterSet[]): CharacterSet =>
  (code) =>
    sets.some((has) => has(code));
const noneOf =
  (...sets: readonly CharacterSet[]): CharacterSet =>
  (code) =>
    !sets.some((has) => has(code));
const only = (character: string): CharacterSet => within(character, character);

const digit = within('0', '9');
const word = anyOf([within('a', 'z'), within('A', 'Z'), digit, only('_')]);
const space: CharacterSet = (code) => /\s/u.test(String.fromCodePoint(code));
const named: Readonly<Record<string, CharacterSet>> = {
  d: digit,
  D: noneOf(digit),
  w: word,
  W: noneOf(word),
  s: space,
  S: noneOf(space),
  n: only('\n'),
  r: only('\r'),
  t: only('\t'),
};
const lineEnd = anyOf(['\n', '\r', '\u2028', '\u2029'].map(only));

/**
 * Reads a pattern.
 *
 * @throws PatternFault
 */
export function parsePattern(text: string): PatternNode {
  const characters = Array.from(text);
  if (characters.length > longestPattern) throw new PatternFault(`has more than ${longestPattern} characters`);
  const reader = new PatternReader(characters);
  const pattern = reader.readChoices();
  if (!reader.atEnd) throw new PatternFault('has a `)` without a `(`');
  return pattern;
}

/** Reads from the first character to the last; every method begins where the one before ended. */
class PatternReader {
  readonly #characters: readonly string[];
  #position = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  get atEnd(): boolean {
    return this.#position >= this.#characters.length;
  }

  readChoices(): PatternNode {
    const choices = [this.#readSequence()];
    while (this.#take('|')) choices.push(this.#readSequence());
    const [only] = choices;
    return choices.length === 1 && only !== undefined ? only : { kind: 'either', choices };
  }

  #readSequence(): PatternNode {
    const items: PatternNode[] = [];
    while (!this.atEnd && !this.#sees('|') && !this.#sees(')')) items.push(this.#readRepetition(this.#readItem()));
    return { kind: 'sequence', items };
  }

  #readItem(): PatternNode {
    const character = this.#next();
    switch (character) {
      case '^':
        return { kind: 'start' };
      case '$':
        return { kind: 'end' };
      case '.':
        return { kind: 'set', has: noneOf(lineEnd) };
      case '(':
        return this.#readGroup();
      case '[':
        return { kind: 'set', has: this.#readClass() };
      case '\\':
        return { kind: 'set', has: this.#readEscape() };
      case '*':
      case '+':
      case '?':
      case '{':
        throw new PatternFault(`has a \`${character}\` with nothing before it to repeat; write \`\\${character}\``);
      default:
        return { kind: 'set', has: only(character) };
    }
  }

  #readGroup(): PatternNode {
    if (this.#take('?') && !this.#take(':')) {
      throw new PatternFault('has a `(?` that is not `(?:`; looking ahead or behind and named groups are not possible');
    }
    const content = this.readChoices();
    if (!this.#take(')')) throw new PatternFault('has a `(` without a `)`');
    return content;
  }

  #readRepetition(item: PatternNode): PatternNode {
    const bounds = this.#readBounds();
    if (bounds === undefined) return item;
    if (item.kind === 'start' || item.kind === 'end') throw new PatternFault('repeats an anchor');
    // A lazy repetition finds the same texts.
    this.#take('?');
    if (['*', '+', '?', '{'].some((mark) => this.#sees(mark))) throw new PatternFault('repeats a repetition');
    const [least, most] = bounds;
    return { kind: 'repeat', item, least, most };
  }

  #readBounds(): readonly [least: number, most: number] | undefined {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    return this.#take('{') ? this.#readCounts() : undefined;
  }

  #readCounts(): readonly [least: number, most: number] {
    const end = this.#characters.indexOf('}', this.#position);
    const text = end === -1 ? '' : this.#characters.slice(this.#position, end).join('');
    const [, first, comma, last] = /^(\d{1,3})(,?)(\d{1,3})?$/.exec(text) ?? [];
    if (first === undefined) throw new PatternFault('has a `{` that does not begin a count; write `\\{`');
    this.#position = end + 1;
    const least = Number(first);
    const most = last === undefined ? (comma === ',' ? Infinity : least) : Number(last);
    const largest = most === Infinity ? least : most;
    if (most < least || largest > largestCount) {
      throw new PatternFault(`has a count \`{${text}}\` that is not within 0 and ${largestCount}`);
    }
    return [least, most];
  }

  #readEscape(): CharacterSet {
    const character = this.#next('ends in a backslash');
    const set = Object.hasOwn(named, character) ? named[character] : undefined;
    if (set === undefined && /[a-zA-Z0-9]/.test(character)) {
      throw new PatternFault(`has \`\\${character}\`, which is not possible here`);
    }
    return set ?? only(character);
  }

  #readClass(): CharacterSet {
    const negated = this.#take('^');
    const sets: CharacterSet[] = [];
    while (!this.#take(']')) sets.push(this.#readClassItem());
    return negated ? noneOf(...sets) : anyOf(sets);
  }

  #readClassItem(): CharacterSet {
    const first = this.#next('has a `[` without a `]`');
    if (first === '\\') return this.#readEscape();
    const last = this.#characters[this.#position + 1];
    if (!this.#sees('-') || last === undefined || last === ']') return only(first);
    this.#position += 2;
    if (last === '\\') throw new PatternFault('has a range that ends in a backslash');
    if (codeOf(last) < codeOf(first)) throw new PatternFault(`has the range \`${first}-${last}\`, which is reversed`);
    return within(first, last);
  }

  #next(fault = 'ends early'): string {
    const character = this.#characters[this.#position];
    if (character === undefined) throw new PatternFault(fault);
    this.#position += 1;
    return character;
  }

  #sees(character: string): boolean {
    return this.#characters[this.#position] === character;
  }

  #take(character: string): boolean {
    const seen = this.#sees(character);
    if (seen) this.#position += 1;
    return seen;
  }
}
