/** What a text must hold so that a pattern can be found in it. */
export interface LiteralText {
  /** Whether that is all that the pattern asks for. */
  readonly isWhole: boolean;
  /** False only for texts that do not have the pattern. */
  readonly couldMatch: (text: string) => boolean;
}

// A plain ASCII character, or punctuation behind a backslash.
const { source: character } = /(?:[\w\-/:@ ,=#~%&;<>"'!`]|\\[!-/:-@[-`{-~])/u;
const whole = new RegExp(`^(?<start>\\^?)(?<text>${character}*)(?<end>\\$?)$`, 'u');
// The last character is left out, because what follows may repeat it, or not have it at all.
const beginning = new RegExp(`^\\^(?<text>${character}*)${character}`, 'u');

/**
 * Finds the literal text in a pattern. Most patterns are nothing else (`^registry\.k8s\.io/`), and comparing texts takes no
 * matcher.
 */
export function parseLiteral(pattern: string): LiteralText {
  const all = whole.exec(pattern)?.groups;
  if (all !== undefined) return { isWhole: true, couldMatch: comparison(all) };
  // An alternative may begin otherwise.
  const { text = '' } = (pattern.includes('|') ? undefined : beginning.exec(pattern)?.groups) ?? {};
  const prefix = unescaped(text);
  return { isWhole: false, couldMatch: (subject) => subject.startsWith(prefix) };
}

function comparison({
  start,
  text = '',
  end,
}: Readonly<Record<string, string | undefined>>): LiteralText['couldMatch'] {
  const literal = unescaped(text);
  if (start !== '') return end === '' ? (subject) => subject.startsWith(literal) : (subject) => subject === literal;
  return end === '' ? (subject) => subject.includes(literal) : (subject) => subject.endsWith(literal);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gu, '$1');
}
