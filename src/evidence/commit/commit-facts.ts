import { maximumTimestamp } from '../../contract/limits.ts';

/** The data of a commit that every complete source has. */
export interface CommitFacts {
  readonly sha: string;
  /** `Name <email>`. */
  readonly author: string;
  /** The whole message, without the line break at its end. */
  readonly message: string;
  /** The author date, in Unix seconds; undefined if the commit has no valid one, as git allows. */
  readonly timestamp: number | undefined;
  /** The committer date, in Unix seconds; undefined if the source does not have it or it is not valid. */
  readonly committerTimestamp?: number | undefined;
}

/** The author as one line, `Name <email>`; git allows either half to be empty. */
export function authorLine(name: string, email: string): string {
  if (email === '') return name;
  return name === '' ? `<${email}>` : `${name} <${email}>`;
}

/** The message without the line breaks at its end, which git adds and GitHub leaves out. */
export function wholeMessage(message: string): string {
  // Not with a regular expression: it would take quadratic time for a message with many line breaks, which anyone can
  // write.
  let end = message.length;
  while (end > 0 && '\r\n'.includes(message.charAt(end - 1))) end -= 1;
  return message.slice(0, end);
}

/** Parses an ISO 8601 date to Unix seconds; undefined if it is not one, or not a valid time. */
export function parseTimestamp(date: string): number | undefined {
  return validTimestamp(Math.floor(Date.parse(date) / 1000));
}

/** The time in Unix seconds; undefined if it is not a number, before 1970, or after the year 9999. */
export function validTimestamp(seconds: number): number | undefined {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= maximumTimestamp ? seconds : undefined;
}

/** The longest prefix of a text that fits into `maximumBytes` of UTF-8. Never splits a character. */
export function firstBytes(text: string, maximumBytes: number): string {
  // A UTF-16 unit takes at most three bytes, so most texts need not be encoded to know that they fit.
  if (text.length * 3 <= maximumBytes) return text;
  const bytes = Buffer.from(text.slice(0, maximumBytes + 1));
  if (bytes.length <= maximumBytes) return text;
  let end = maximumBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
