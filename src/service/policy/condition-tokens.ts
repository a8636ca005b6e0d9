/** A token of a condition; its position is counted from 0. */
export interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'mark' | 'end';
  /** Without the quotes of a string. */
  readonly text: string;
  readonly position: number;
}

/** The condition is invalid; the message says why and where; it completes a sentence that names the condition. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

// The matching group is the kind of the token. A word may contain dots and hyphens, because it can be a path:
// `flow.tags.risk-level`.
const form =
  /\s*(?:(?<text>"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(?<number>-?\d+(?:\.\d+)?)|(?<word>[a-zA-Z_][\w-]*(?:\.[\w-]+)*)|(?<mark>[=!<>]=|[<>()[\],])|(?<end>$))/uy;

/**
 * Splits a condition into tokens.
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
  // Only quotes and backslashes are unescaped, so that patterns keep their escapes: `\.` stays `\.`.
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
