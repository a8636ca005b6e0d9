import { lookup, Resolver } from 'node:dns/promises';
import { errorCode } from '../../runtime/failure.ts';
import type { ResolvedAddress, Web } from './post-json.ts';

/** The two ways of Node.js to resolve a name. */
export interface NameServices {
  /** The system's way, which knows the hosts file. It holds one of few threads, which files need, too, until it ends. */
  lookup(name: string): Promise<readonly ResolvedAddress[]>;
  /** Asks the DNS servers, and holds no thread. */
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

/** Node.js's own, with a time limit for the DNS. */
export function systemNameServices(): NameServices {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  return {
    lookup: (name) => lookup(name, { all: true }),
    resolve4: (name) => resolver.resolve4(name),
    resolve6: (name) => resolver.resolve6(name),
  };
}

/**
 * Resolves the names of targets. Names of the public internet are looked up in the DNS, so that slow name servers of one
 * organization's targets hold up nothing else. Private names may be in the hosts file only; where they are allowed, and where
 * the process has no DNS server, the system looks all names up.
 */
export function createNameResolver(services: NameServices, allowPrivateTargets: boolean): Web['resolve'] {
  return async (name) => {
    if (allowPrivateTargets || isLocalhost(name)) return services.lookup(name);
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

/** A name that always means this machine (RFC 6761). */
function isLocalhost(name: string): boolean {
  return /(?:^|\.)localhost\.?$/iu.test(name);
}
