import type { AuthenticationMethod } from '../../../contract/endpoint.ts';
import type { ReportTask } from '../report-task.ts';
import { parseSonarTime } from '../sonar-time.ts';

/**
 * The ways to send a token to Sonar, the likeliest first: bearer for the cloud, which reports a made-up version, and
 * for servers from 10.0 on; basic for older servers, which know no other; bearer and then basic if the version is
 * unknown.
 */
export function schemesFor(
  server: URL,
  report: Pick<ReportTask, 'organization' | 'serverVersion'>,
): readonly [AuthenticationMethod, ...AuthenticationMethod[]] {
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
