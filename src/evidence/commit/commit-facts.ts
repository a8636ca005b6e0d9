/** What every complete source knows of a commit. */
export interface CommitFacts {
  readonly sha: string;
  /** `Name <email>`. */
  readonly author: string;
  /** The whole message, without the line break at its end. */
  readonly message: string;
  /** The author date, in Unix seconds; undefined if the commit has no valid one, as git allows. */
  readonly timestamp: number | undefined;
  /** The committer date, in Unix seconds; undefined if the source does not tell it or it is not valid. */
  readonly committerTimestamp?: number | undefined;
}

/** The author as one line, `Name <email>`; git allows either half to be empty. */
export function authorLine(name: string, email: string): string {
  if (email === '') return name;
  return name === '' ? `<${email}>` : `${name} <${email}>`;
}

/** The message without the line breaks at its end, which git adds and GitHub leaves out. */
export function wholeMessage(message: string): string {
  // Not by a pattern: on a message of many line breaks, which anyone can write, it would take quadratic time.
  let end = message.length;
  while (end > 0 && '\r\n'.includes(message.charAt(end - 1))) end -= 1;
  return message.slice(0, end);
}

/** An ISO 8601 date in Unix seconds; undefined if it is not one, or not a valid time. */
export function parseTimestamp(date: string): number | undefined {
  return validTimestamp(Math.floor(Date.parse(date) / 1000));
}

/** The end of the year 9999, in Unix seconds: what is later is a mistake, and has no date that people can read. */
const latestTimestamp = 253_402_300_799;

/** The time in Unix seconds; undefined if it is not a number, before 1970, or after the year 9999. */
export function validTimestamp(seconds: number): number | undefined {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= latestTimestamp ? seconds : undefined;
}

/**
 * The beginning of a text, of at most so many bytes in UTF-8; the whole text if it fits. No character is cut in two.
 */
export function firstBytes(text: string, maximumBytes: number): string {
  // A character of UTF-16 takes one to three bytes, so that most texts need not be encoded to know.
  if (text.length * 3 <= maximumBytes) return text;
  const bytes = Buffer.from(text.slice(0, maximumBytes + 1));
  if (bytes.length <= maximumBytes) return text;
  let end = maximumBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
