/** Parses a date of Sonar (`2023-05-25T10:34:21+0200`) to milliseconds since the epoch; undefined if invalid. */
export function parseSonarTime(text: string | undefined): number | undefined {
  // ISO 8601 requires a colon in the offset, and engines may reject a date without one.
  const time = Date.parse((text ?? '').replace(/([+-]\d{2})(\d{2})$/u, '$1:$2'));
  return Number.isNaN(time) ? undefined : time;
}
