import { parseSonarTime } from '../sonar-time.ts';

/** What a token may see; the cloud's project tokens cannot be told from others. */
export type TokenKind = 'none' | 'project' | 'other';

/** The kind of a token by its prefix (Sonar's `TokenType`); a project analysis token is valid for one project only. */
export function tokenKind(token: string | undefined): TokenKind {
  if (token === undefined) return 'none';
  return token.startsWith('sqp_') ? 'project' : 'other';
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/**
 * The warning about a token's expiry, from the header `SonarQube-Authentication-Token-Expiration`; undefined if that is
 * more than seven days away or the header has no date.
 *
 * @param now in milliseconds since the epoch
 */
export function expiryWarning(header: string | undefined, now: number): string | undefined {
  const end = parseSonarTime(header);
  if (header === undefined || end === undefined || end - now > 7 * dayMilliseconds) return undefined;
  return `\`sonar-token\` expires on ${header}: create a new one and store it in the secret before then`;
}
