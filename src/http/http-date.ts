/**
 * Reads an HTTP date in any of its three forms (RFC 9110, 5.6.7).
 *
 * @returns milliseconds since the epoch; undefined if the text is not an HTTP date
 */
export function parseHttpDate(text: string): number | undefined {
  // HTTP dates start with the day's name; `Date.parse` alone would accept nearly any text with digits.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/u.test(text)) return undefined;
  // The oldest form (asctime) names no zone and means UTC; `Date.parse` would assume the machine's zone.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : date;
}
