import type { AuthenticationMethod } from '../contract/endpoint.ts';

/**
 * The value of the `Authorization` header (interface, Authentication). Basic sends the API key as the user name with an
 * empty password; the colon is required.
 */
export function authorization(method: AuthenticationMethod, apiToken: string): string {
  return method === 'bearer' ? `Bearer ${apiToken}` : `Basic ${Buffer.from(`${apiToken}:`, 'utf8').toString('base64')}`;
}
