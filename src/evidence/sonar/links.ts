import { isMapping, type Mapping } from '../../runtime/values.ts';
import { pageUrl } from './server-address.ts';

/** The link as it may be shown, if it leads to this server's origin; undefined for any other. */
export function linkOf(server: URL, text: string | undefined): string | undefined {
  const link = pageUrl(text);
  return link !== undefined && new URL(link).origin === server.origin ? link : undefined;
}

/**
 * A JSON report without the links that lead elsewhere than to the server: the report is a file of the workspace, which a
 * change under review can forge. The links of Sonar's webhook are `serverUrl`, `project.url` and `branch.url`.
 */
export function withoutForeignLinks(report: unknown, server: URL): unknown {
  if (!isMapping(report)) return report;
  const own = keepOwnLinks(report, server);
  for (const part of ['project', 'branch']) {
    const inner = own[part];
    if (isMapping(inner)) own[part] = keepOwnLinks(inner, server);
  }
  return own;
}

function keepOwnLinks(record: Mapping, server: URL): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([key, value]) => !/url$/iu.test(key) || (typeof value === 'string' && linkOf(server, value) !== undefined),
    ),
  );
}
