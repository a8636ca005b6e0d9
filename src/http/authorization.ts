/**
 * The value of the `Authorization` header. Basic sends the token as the user name with an empty password; the colon is
 * required.
 */
export function authorization(method: 'bearer' | 'basic', token: string): string {
  return method === 'bearer' ? `Bearer ${token}` : `Basic ${Buffer.from(`${token}:`, 'utf8').toString('base64')}`;
}
