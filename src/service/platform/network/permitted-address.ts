import { isIP, type LookupFunction } from 'node:net';
import { type AddressBan, findAddressBan } from './address-ban.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** How the service reaches servers that its users name. */
export interface Web {
  resolve(name: string): Promise<readonly ResolvedAddress[]>;
  /** Whether private addresses may be called. */
  readonly allowPrivate: boolean;
}

/** Says why an address is not called, without a full stop. */
export type Refusals = Readonly<Record<NonNullable<AddressBan>, (name: string, address: string) => string>>;

/** The name has no address that may be called. The message says why, without a full stop. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/**
 * Resolves the host of a URL, and checks its addresses. Connect to the returned address with `pinnedLookup`, so that
 * DNS rebinding has no effect.
 *
 * @throws AddressError
 */
export async function resolvePermittedAddress(web: Web, url: URL, refusals: Refusals): Promise<ResolvedAddress> {
  // IPv6 addresses in URLs are in brackets.
  const name = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  const family = isIP(name);
  const addresses = family === 0 ? await resolve(web, name) : [{ address: name, family }];
  const [first] = addresses;
  if (first === undefined) throw new AddressError(`${name} has no address`);
  // One private address among public ones is enough to reject the name: it has no legitimate purpose.
  for (const { address } of addresses) {
    const ban = findAddressBan(address, web.allowPrivate);
    if (ban !== undefined) throw new AddressError(refusals[ban](name, address));
  }
  return first;
}

async function resolve(web: Web, name: string): Promise<readonly ResolvedAddress[]> {
  try {
    return await web.resolve(name);
  } catch (error) {
    throw new AddressError(`${name} cannot be resolved`, { cause: error });
  }
}

/** A lookup function that always returns the same address. */
export function pinnedLookup({ address, family }: ResolvedAddress): LookupFunction {
  return (_name, options, answer) => {
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
}
