/** Truncates a text to a maximum length in characters; a truncated text ends with `…`. */
export function truncate(text: string, maximumLength: number): string {
  return text.length <= maximumLength ? text : `${text.slice(0, maximumLength - 1).toWellFormed()}…`;
}
