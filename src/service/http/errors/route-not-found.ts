import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';
import { httpErrors } from './http-errors.ts';

/** A route's path, with its methods. */
interface Address {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/**
 * Responds to requests without a route: 405 if the address exists with other methods, else 404. It responds before the
 * body is read. Call it before routes are added.
 */
export function addNotFoundHandler(app: FastifyInstance): void {
  const addresses = new Map<string, Address>();
  app.addHook('onRoute', ({ url, method }) => {
    const address = addresses.get(url) ?? { segments: url.split('/'), methods: new Set() };
    for (const name of [method].flat()) address.methods.add(name);
    addresses.set(url, address);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? noRouteError(request, addresses.values()) : undefined);
  });
}

function noRouteError({ method, url }: FastifyRequest, addresses: Iterable<Address>): ApiError {
  const path = url.split('?', 1)[0] ?? '';
  const address = [...addresses].find((known) => matches(known, path.split('/')));
  if (address === undefined) return new ApiError(httpErrors.notFound, { values: { method, path } });
  const allowed = [...address.methods].sort().join(', ');
  return new ApiError(httpErrors.methodNotAllowed, { values: { method, allowed }, headers: { allow: allowed } });
}

function matches({ segments }: Address, path: readonly string[]): boolean {
  const fits = (segment: string, index: number): boolean =>
    segment.startsWith(':') ? path[index] !== '' : segment === path[index];
  return segments.length === path.length && segments.every(fits);
}
