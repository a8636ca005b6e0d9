import { isIP } from 'node:net';

/** Whether a key or token sent to this URL could be read in transit: plain http to another machine. */
export function isUnencryptedUrl(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url.hostname);
}

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
