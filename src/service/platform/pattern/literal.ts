/** The literal text that a pattern requires. */
export interface LiteralText {
  /** Whether the pattern requires nothing else. */
  readonly isWhole: boolean;
  /** Returns false only for texts that do not match the pattern. */
  readonly couldMatch: (text: string) => boolean;
}

// A plain ASCII character, or escaped punctuation.
const { source: character } = /(?:[\w\-/:@ ,=#~%&;<>"'!`]|\\[!-/:-@[-`{-~])/u;
const whole = new RegExp(`^(?<start>\\^?)(?<text>${character}*)(?<end>\\$?)$`, 'u');
// The last character is excluded, because a following quantifier may repeat it or make it optional.
const beginning = new RegExp(`^\\^(?<text>${character}*)${character}`, 'u');

/**
 * Finds the literal text in a pattern. Most patterns consist of nothing else (`^registry\.k8s\.io/`), and comparing
 * strings needs no matcher.
 */
export function parseLiteral(pattern: string): LiteralText {
  const all = whole.exec(pattern)?.groups;
  if (all !== undefined) return { isWhole: true, couldMatch: comparison(all) };
  // Another alternative may begin differently.
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
