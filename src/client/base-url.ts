/** The version prefix that every base address ends with (interface, Versioning). */
const versionPrefix = '/api/v2';

/** A base URL, or why the text is not one. */
export type BaseUrl = { readonly url: URL; readonly problem?: never } | { readonly problem: string };

/**
 * Reads a base URL: `https://host`, with a path if the service is below one. Adds `/api/v2` if it is missing, and drops
 * a trailing slash. Rejects a URL with a password, a query or a fragment, because those would end up in logs or be
 * lost.
 */
export function parseBaseUrl(text: string): BaseUrl {
  if (!URL.canParse(text)) return { problem: `must be a URL such as https://compliance.example.com${versionPrefix}` };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { problem: 'must start with https:// (or http://)' };
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain a user name or password' };
  if (url.search !== '' || url.hash !== '') return { problem: 'must not hold a query or a fragment' };
  const path = url.pathname.replace(/\/+$/u, '');
  // An empty query or fragment leaves its `?` or `#` behind.
  url.search = '';
  url.hash = '';
  url.pathname = path.endsWith(versionPrefix) ? path : path + versionPrefix;
  return { url };
}
