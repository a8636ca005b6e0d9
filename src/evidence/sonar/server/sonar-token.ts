import { UserError } from '../../../runtime/failure.ts';
import type { ReportTask } from '../report-task.ts';
import { parseSonarTime } from '../sonar-time.ts';

/** How a token is sent to Sonar. Servers before 10.0 only know it as the user name of basic authentication. */
export type AuthorizationScheme = 'bearer' | 'basic';

/**
 * The schemes worth trying, the likeliest first: bearer for the cloud, whose version is made up, and for servers from
 * 10.0 on; basic for older servers; where the version is unknown, bearer and then basic.
 */
export function schemesFor(
  server: URL,
  report: Pick<ReportTask, 'organization' | 'serverVersion'>,
): readonly [AuthorizationScheme, ...AuthorizationScheme[]] {
  if (isCloud(server)) return ['bearer'];
  // The cloud under another name, most likely; old servers wrote the key too.
  if (report.organization !== undefined) return ['bearer', 'basic'];
  const major = /^(\d{1,4})(?:\.|$)/u.exec(report.serverVersion ?? '')?.[1];
  if (major === undefined) return ['bearer', 'basic'];
  return Number(major) >= 10 ? ['bearer'] : ['basic'];
}

const cloudDomains = ['sonarcloud.io', 'sonarqube.us'];

function isCloud(server: URL): boolean {
  return cloudDomains.some((domain) => server.hostname === domain || server.hostname.endsWith(`.${domain}`));
}

/** The `Authorization` header of a token. With basic authentication the token is the user name, the password empty. */
export function authorizationHeader(scheme: AuthorizationScheme, token: string): string {
  return scheme === 'bearer' ? `Bearer ${token}` : `Basic ${Buffer.from(`${token}:`, 'utf8').toString('base64')}`;
}

/**
 * A token as it can stand in a header, without the white space that copying brings; undefined if there is none.
 *
 * @throws UserError for characters that no token of Sonar's has. The token itself is not repeated.
 */
export function usableToken(token: string | undefined): string | undefined {
  const trimmed = token?.trim() ?? '';
  if (trimmed === '') return undefined;
  if (/^[\x21-\x7E]+$/u.test(trimmed)) return trimmed;
  throw new UserError({
    input: 'sonar-token',
    what: '`sonar-token` holds characters that no Sonar token has (white space or characters beyond ASCII)',
    remedy: 'Store the token alone, without quotes and line breaks, in the secret that `sonar-token` is read from.',
  });
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/**
 * What to say about a token's end, by the header `SonarQube-Authentication-Token-Expiration`; undefined if that is
 * more than seven days away or the header has no date.
 *
 * @param now in milliseconds since the epoch
 */
export function expiryWarning(header: string | undefined, now: number): string | undefined {
  const end = parseSonarTime(header);
  if (header === undefined || end === undefined || end - now > 7 * dayMilliseconds) return undefined;
  return `\`sonar-token\` expires on ${header}: make a new one and store it in the secret before then`;
}
