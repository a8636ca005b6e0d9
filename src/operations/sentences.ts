/** Helpers to build sentences from sentences. */

/** The sentence without its full stop, so that it can continue. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/u, '');
}

/** A number with its noun, which gets an `s` unless the number is 1: `1 pod`, `2 pods`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * The first texts, and how many more there are: `a; b; and 395 more`.
 *
 * @param maximum how many texts to include
 * @param rest how many more there are, if a text stands for more than one thing
 */
export function summarizeList(
  texts: readonly string[],
  maximum: number,
  { separator = '; ', rest = Math.max(0, texts.length - maximum) }: { separator?: string; rest?: number } = {},
): string {
  const first = texts.slice(0, maximum).join(separator);
  return rest === 0 ? first : `${first}${separator}and ${rest} more`;
}
