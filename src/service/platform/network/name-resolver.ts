import { lookup, Resolver } from 'node:dns/promises';
import { errorCode } from '../../../runtime/failure.ts';
import type { ResolvedAddress, Web } from './permitted-address.ts';

/** The two ways in which Node.js resolves names. */
export interface NameServices {
  /** Uses the system's resolver and hosts file. Occupies one of a few threads, which file access needs, too. */
  lookup(name: string): Promise<readonly ResolvedAddress[]>;
  /** Asks the DNS servers, without occupying a thread. */
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

/** The resolvers of Node.js, with a timeout for DNS. */
export function systemNameServices(): NameServices {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  return {
    lookup: (name) => lookup(name, { all: true }),
    resolve4: (name) => resolver.resolve4(name),
    resolve6: (name) => resolver.resolve6(name),
  };
}

/**
 * Resolves the names of targets. Public names are looked up by DNS, so that slow name servers of one organization's
 * targets delay nothing else. Private names may only be in the hosts file: if private addresses are allowed, or the
 * process has no DNS server, the system's resolver is used for all names.
 */
export function createNameResolver(services: NameServices, allowPrivate: boolean): Web['resolve'] {
  return async (name) => {
    if (allowPrivate || isLocalhost(name)) return services.lookup(name);
    const [ipv4, ipv6] = await Promise.allSettled([services.resolve4(name), services.resolve6(name)]);
    const addresses = [
      ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
      ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length > 0 || ipv4.status === 'fulfilled') return addresses;
    if (errorCode(ipv4.reason) === 'ECONNREFUSED') return services.lookup(name);
    throw ipv4.reason;
  };
}

/** Whether the name always means this machine (RFC 6761). */
function isLocalhost(name: string): boolean {
  return /(?:^|\.)localhost\.?$/iu.test(name);
}
