/** Helpers to build sentences from sentences. */

/** The sentence without its full stop, so that it can continue. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/u, '');
}

/** The sentence in the middle of another one: lower case, no full stop. */
export function asClause(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + withoutFullStop(sentence.slice(1));
}

/**
 * The first texts, and how many more there are: `a; b; and 395 more`.
 *
 * @param most how many texts to include
 * @param rest how many more there are, if a text stands for more than one thing
 */
export function summarizeList(
  texts: readonly string[],
  most: number,
  { separator = '; ', rest = Math.max(0, texts.length - most) }: { separator?: string; rest?: number } = {},
): string {
  const first = texts.slice(0, most).join(separator);
  return rest === 0 ? first : `${first}${separator}and ${rest} more`;
}
