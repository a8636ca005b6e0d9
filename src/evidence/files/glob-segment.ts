/** The syntax of a pattern: the dialects differ in character classes and in what is malformed. */
type Dialect = 'shell' | 'go';

interface Reading {
  /** The source of a regular expression. */
  readonly source: string;
  /** The position after the part that was read. */
  readonly end: number;
}

interface ClassCharacter {
  readonly code: number;
  readonly end: number;
}

/**
 * Compiles one segment of a pattern (the text between two slashes) to a regular expression, with the rules of a shell:
 * `*` matches any characters, `?` one character, `[a-z]` one of these, `[!a-z]` and `[^a-z]` one of the others, `\\x`
 * the character x. An incomplete construct (a class that is not closed) matches literally. Hidden names match like any
 * others, and matching is case-sensitive on every system, so that a pattern matches the same files everywhere.
 */
export function compileSegment(text: string): RegExp {
  // In the shell dialect, nothing is malformed.
  return compile(text, 'shell') ?? /(?!)/;
}

/**
 * Compiles one segment with the rules of Go's `filepath.Match`: only `[^a-z]` negates, and a stray `]` or `-` in a
 * class must be escaped.
 *
 * @returns undefined if the segment is malformed
 */
export function compileGoSegment(text: string): RegExp | undefined {
  return compile(text, 'go');
}

function compile(text: string, dialect: Dialect): RegExp | undefined {
  const characters = Array.from(text);
  let source = '';
  for (let at = 0; at < characters.length;) {
    const piece = readPiece(characters, at, dialect) ?? readLiteral(characters, at, dialect);
    if (piece === undefined) return undefined;
    // Several stars match the same as one, but would make the expression slow.
    if (piece.source !== '.*' || !source.endsWith('.*')) source += piece.source;
    at = piece.end;
  }
  return new RegExp(`^${source}$`, 'su');
}

function readLiteral(characters: readonly string[], at: number, dialect: Dialect): Reading | undefined {
  const character = characters[at];
  return dialect === 'go' || character === undefined ? undefined : { source: escapeCharacter(character), end: at + 1 };
}

function readPiece(characters: readonly string[], at: number, dialect: Dialect): Reading | undefined {
  const character = characters[at];
  switch (character) {
    case undefined:
      return undefined;
    case '*':
      return { source: '.*', end: at + 1 };
    case '?':
      return { source: '.', end: at + 1 };
    case '[':
      return readClass(characters, at + 1, dialect);
    case '\\': {
      const escaped = characters[at + 1];
      return escaped === undefined ? undefined : { source: escapeCharacter(escaped), end: at + 2 };
    }
    default:
      return { source: escapeCharacter(character), end: at + 1 };
  }
}

/** Reads a class from the position after its opening bracket. */
function readClass(characters: readonly string[], start: number, dialect: Dialect): Reading | undefined {
  const negators = dialect === 'go' ? ['^'] : ['^', '!'];
  const negated = negators.includes(characters[start] ?? '');
  const first = negated ? start + 1 : start;
  let body = '';
  let at = first;
  while (characters[at] !== ']' || at === first) {
    const low = readClassCharacter(characters, at, dialect, at === first);
    const high =
      low !== undefined && isRange(characters, low.end, dialect)
        ? readClassCharacter(characters, low.end + 1, dialect, false)
        : low;
    if (low === undefined || high === undefined) return undefined;
    // A reversed range contains no characters.
    if (low.code <= high.code) body += `${escapeCodePoint(low.code)}-${escapeCodePoint(high.code)}`;
    at = high.end;
  }
  return { source: `[${negated ? '^' : ''}${body}]`, end: at + 1 };
}

function isRange(characters: readonly string[], at: number, dialect: Dialect): boolean {
  return characters[at] === '-' && (dialect === 'go' || characters[at + 1] !== ']');
}

function readClassCharacter(
  characters: readonly string[],
  at: number,
  dialect: Dialect,
  first: boolean,
): ClassCharacter | undefined {
  const character = characters[at];
  if (character === undefined) return undefined;
  if (character === '\\') return readCodePoint(characters, at + 1);
  if (dialect === 'go' && (character === '-' || character === ']')) return undefined;
  return character === ']' && !first ? undefined : readCodePoint(characters, at);
}

function readCodePoint(characters: readonly string[], at: number): ClassCharacter | undefined {
  const code = characters[at]?.codePointAt(0);
  return code === undefined ? undefined : { code, end: at + 1 };
}

function escapeCharacter(character: string): string {
  return escapeCodePoint(character.codePointAt(0) ?? 0);
}

function escapeCodePoint(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
