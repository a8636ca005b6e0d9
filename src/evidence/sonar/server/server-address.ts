import { UserError } from '../../../runtime/failure.ts';
import { isUnencryptedUrl } from '../../../runtime/unencrypted-url.ts';
import type { ReportTask } from '../report-task.ts';

export interface ServerAddress {
  /** With the server's context path if it has one; without query, fragment, credentials and final slash. */
  readonly url: URL;
  /** Who named it: the input `sonar-host-url`, or the scan: its report, or the URL of its task. */
  readonly namedBy: 'input' | 'report';
  /** What the reader should know about the address. */
  readonly warnings: readonly string[];
}

/**
 * Chooses the server. The report is a file in the workspace, which a change under review can forge, and its address is
 * often known only in the scanner's network: if the user sets `sonar-host-url`, the report's address is not used.
 *
 * @param hostUrl an http or https URL without credentials
 * @throws UserError if it is the address of Sonar's web API, or if neither it nor the report names a server
 */
export function chooseServer(
  hostUrl: string | undefined,
  report: Pick<ReportTask, 'serverUrl'>,
  reportPath: string,
  hasToken: boolean,
): ServerAddress {
  const namedBy = hostUrl === undefined ? 'report' : 'input';
  const { url, warnings } =
    hostUrl === undefined ? toReportAddress(report.serverUrl, reportPath) : { url: namedServer(hostUrl), warnings: [] };
  const readable = hasToken && isUnencryptedUrl(url);
  return {
    url,
    namedBy,
    warnings: readable ? [...warnings, `\`sonar-token\` is sent to ${url.origin} without encryption (http)`] : warnings,
  };
}

function toReportAddress(text: string | undefined, reportPath: string): Pick<ServerAddress, 'url' | 'warnings'> {
  const url = text === undefined ? undefined : httpUrl(text);
  if (url === undefined) {
    throw new UserError({
      input: 'sonar-host-url',
      what: `the Sonar report ${reportPath} has ${text === undefined ? 'no `serverUrl`' : 'a `serverUrl` that is not an http or https URL'}`,
      remedy: 'Set `sonar-host-url` to the address of the Sonar server.',
    });
  }
  const holdsCredentials = url.username !== '' || url.password !== '';
  return {
    url: withoutQuery(url),
    warnings: holdsCredentials
      ? [
          `the \`serverUrl\` of the Sonar report contains a user name or password, which is ignored: scan with SONAR_TOKEN instead, and set \`sonar-token\` here`,
        ]
      : [],
  };
}

/**
 * The server that the user names.
 *
 * @throws UserError if it is the address of Sonar's web API
 */
function namedServer(hostUrl: string): URL {
  const server = withoutQuery(new URL(hostUrl));
  const withoutApi = server.href.replace(/\/api(?:\/v2)?$/u, '');
  if (withoutApi !== server.href) {
    throw new UserError({
      input: 'sonar-host-url',
      what: `\`sonar-host-url\` (${server.href}) is the address of Sonar's web API, not of the Sonar server`,
      remedy: `Remove the path of the web API from its end: ${withoutApi}`,
    });
  }
  return server;
}

/** The server's URL as people write it, without a final slash. */
export function serverName(server: URL): string {
  return server.href.replace(/\/$/u, '');
}

/** The URL of a page without credentials, so that it can be shown; undefined unless it is an http or https URL. */
export function pageUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? undefined : httpUrl(text);
  if (url === undefined) return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}

/** Builds a URL below the server's, including the server's context path. */
export function buildUrl(server: URL, path: string, query: Readonly<Record<string, string | undefined>> = {}): URL {
  const url = new URL(`${server.origin}${server.pathname.replace(/\/$/u, '')}/${path}`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.append(name, value);
  return url;
}

function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

function withoutQuery(url: URL): URL {
  return new URL(url.origin + url.pathname.replace(/(?<!\/)\/+$/u, ''));
}
