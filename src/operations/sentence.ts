/** Sentences put into one another. */

/** A sentence without its full stop, so that more can follow. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/u, '');
}

/** A sentence as it stands within another one. */
export function asClause(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + withoutFullStop(sentence.slice(1));
}

/**
 * The first of many, and how many more there are: `a; b; and 395 more`.
 *
 * @param separator stands between two of them
 * @param rest how many more there are, where each text stands for more than one
 */
export function summarizeList(
  texts: readonly string[],
  most: number,
  { separator = '; ', rest = Math.max(0, texts.length - most) }: { separator?: string; rest?: number } = {},
): string {
  const first = texts.slice(0, most).join(separator);
  return rest === 0 ? first : `${first}${separator}and ${rest} more`;
}
