/** A word of a condition, with where it begins, counted from 0. */
export interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'mark' | 'end';
  /** A text without its quotes. */
  readonly text: string;
  readonly position: number;
}

/** A condition is not understood; the message says why, and where. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

// One of its groups says what was found. A word holds dots and hyphens, because it is a path: `flow.tags.risk-level`.
const form =
  /\s*(?:(?<text>"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(?<number>-?\d+(?:\.\d+)?)|(?<word>[a-zA-Z_][\w-]*(?:\.[\w-]+)*)|(?<mark>[=!<>]=|[<>()[\],])|(?<end>$))/uy;

/**
 * The words of a condition.
 *
 * @throws ConditionError
 */
export function tokenize(text: string): readonly Token[] {
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
  const token = (kind: Token['kind'], raw: string, shown = raw): Token => ({
    kind,
    text: shown,
    position: found.index + found[0].length - raw.length,
  });
  // Only the quote and the backslash itself are escaped, so that patterns keep theirs: `\.` stays `\.`.
  if (text !== undefined) return token('text', text, text.slice(1, -1).replace(/\\(["'\\])/gu, '$1'));
  if (number !== undefined) return token('number', number);
  if (word !== undefined) return token('word', word);
  if (mark !== undefined) return token('mark', mark);
  return end === undefined ? undefined : token('end', end);
}

function excerpt(text: string, from: number): string {
  const rest = text.slice(from).trimStart();
  return `character ${text.length - rest.length + 1}, at ${JSON.stringify(rest.slice(0, 20))}`;
}
