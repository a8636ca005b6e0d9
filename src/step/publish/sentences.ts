/** The texts as sentences, one after the other: each with one full stop, be it its own. Empty ones are left out. */
export function sentences(...texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (/[.!?]$/u.test(text) ? text : `${text}.`))
    .join(' ');
}
