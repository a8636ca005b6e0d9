/**
 * The C0 and C1 control characters except tab and line breaks, which terminals obey, and the bidirectional formatting
 * characters (UAX #9), which reorder the text around them.
 */
export const unprintable = /[[\p{Cc}\u202A-\u202E\u2066-\u2069]--[\t\n\r]]/gv;

/** Replaces control and bidirectional formatting characters with U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, '\uFFFD');
}
