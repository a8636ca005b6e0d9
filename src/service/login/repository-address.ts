import { githubIssuer } from '../../contract/login-rule.ts';

export interface RepositoryAddress {
  /** As URLs write it (lower case, Punycode), without a port; undefined if the text names no server. */
  readonly host: string | undefined;
  /** `owner/name`, without `.git`. */
  readonly path: string;
}

/** Parses the address of a repository: a URL, or `user@host:owner/name`, which git also takes and which is no URL. */
export function parseRepositoryAddress(text: string): RepositoryAddress {
  const { host, path } = /^(?:[^@/]*@)?(?<host>[^:@/]+):(?!\/\/)(?<path>.*)$/su.exec(text)?.groups ?? {};
  if (host !== undefined && path !== undefined) return { host: toServerName(host), path: toRepositoryPath(path) };
  const { hostname = '', pathname = text } = URL.parse(text) ?? {};
  return { host: hostname === '' ? undefined : toServerName(hostname), path: toRepositoryPath(pathname) };
}

/** Git over SSH can use a host of its own (`ssh.github.com`), which is the same server. */
function toServerName(host: string): string {
  // A URL would end before these, but the name of an SSH server does not.
  const name = /[#?\\]/u.test(host) ? undefined : URL.parse(`https://${host}`)?.hostname;
  return (name ?? host.toLowerCase()).replace(/\.$/u, '').replace(/^(?:ssh|www)\./u, '');
}

function toRepositoryPath(path: string): string {
  // The lookbehind keeps the time linear if there are many slashes.
  return path.replace(/^\/+|(?<!\/)\/+$/gu, '').replace(/\.git$/u, '');
}

/**
 * The GitHub server whose runs get tokens from an issuer: github.com, a company's subdomain of ghe.com, or a GHES;
 * undefined if the issuer is none of GitHub's. Source: GitHub's documentation, "OpenID Connect reference".
 */
export function findGithubServer(issuer: string): string | undefined {
  // A company on github.com can have an issuer of its own, below GitHub's.
  if (issuer === githubIssuer || issuer.startsWith(`${githubIssuer}/`)) return 'github.com';
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  if (pathname === '/_services/token') return toServerName(hostname);
  return /^token\.actions\.(?<server>[^.]+\.ghe\.com)$/u.exec(hostname)?.groups?.['server'];
}
