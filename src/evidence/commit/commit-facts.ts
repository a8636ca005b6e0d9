/** What every complete source knows of a commit. */
export interface CommitFacts {
  readonly sha: string;
  /** `Name <email>`. */
  readonly author: string;
  /** The whole message, without the line break at its end. */
  readonly message: string;
  /** The author date, in Unix seconds. */
  readonly timestamp: number;
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

/** An ISO 8601 date in Unix seconds; undefined where it is not one. */
export function unixSeconds(date: string): number | undefined {
  const milliseconds = Date.parse(date);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}
