import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import { UserError } from '../runtime/failure.ts';

/** The proxies of the environment, by the conventions of curl: lowercase names first. */
export interface ProxySettings {
  /** For `http:` addresses. */
  readonly httpProxy: string;
  /** For `https:` addresses. */
  readonly httpsProxy: string;
  /** Hosts to connect to directly, separated by commas. */
  readonly noProxy: string;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; undefined if no proxy is set.
 *
 * @throws UserError if a proxy is not an http or https URL. The value is not shown, because it may hold a password.
 */
export function proxySettings(environment: EnvironmentVariables): ProxySettings | undefined {
  const httpProxy = proxyAddress(environment, 'HTTP_PROXY');
  const httpsProxy = proxyAddress(environment, 'HTTPS_PROXY');
  if (httpProxy === '' && httpsProxy === '') return undefined;
  return { httpProxy, httpsProxy, noProxy: variable(environment, 'NO_PROXY') };
}

function proxyAddress(environment: EnvironmentVariables, name: string): string {
  const value = variable(environment, name);
  if (value === '') return '';
  // As in curl, `proxy.example.com:3128` means an http proxy.
  const address = value.includes('://') ? value : `http://${value}`;
  if (/^https?:\/\//iu.test(address) && isDecodable(address)) return address;
  throw new UserError({
    what: `the environment variable ${name} is not the URL of an http or https proxy`,
    remedy: `Set ${name} to something like http://proxy.example.com:3128, or unset it. In a password, write % as %25.`,
  });
}

/** Whether undici can read the URL, and decode the user name and the password in it. */
function isDecodable(address: string): boolean {
  try {
    const { username, password } = new URL(address);
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function variable(environment: EnvironmentVariables, name: string): string {
  const lower = environment[name.toLowerCase()];
  return (lower !== undefined && lower !== '' ? lower : (environment[name] ?? '')).trim();
}
