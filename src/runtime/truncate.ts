/** Truncates a text to a maximum length in characters, but not within a surrogate pair; it then ends with `…`. */
export function truncate(text: string, maximumLength: number): string {
  if (text.length <= maximumLength) return text;
  const start = text.slice(0, maximumLength - 1).replace(/\p{Cs}$/u, '');
  return `${start.toWellFormed()}…`;
}
