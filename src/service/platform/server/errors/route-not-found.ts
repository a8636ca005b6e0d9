import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';
import { httpErrors } from './http-errors.ts';

interface Address {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/**
 * Responds to requests without a route: 404 that lists the kinds if the last part of the address names an unknown kind of
 * attestation, report, …; 405 if the address exists with other methods; else 404. It responds before the body is read.
 * Pages that browsers ask for are left to `addNotFoundPage`. Call it before routes are added.
 */
export function addNotFoundHandler(app: FastifyInstance): void {
  const addresses = new Map<string, Address>();
  app.addHook('onRoute', ({ url, method }) => {
    const address = addresses.get(url) ?? { segments: url.split('/'), methods: new Set() };
    for (const name of [method].flat()) address.methods.add(name);
    addresses.set(url, address);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const isPage = request.method === 'GET' && wantsHtml(request);
    done(request.is404 && !isPage ? noRouteError(request, addresses.values()) : undefined);
  });
}

/** Whether the client is a browser that displays the answer. */
export function wantsHtml({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}

function noRouteError({ method, url }: FastifyRequest, addresses: Iterable<Address>): ApiError {
  const path = url.split('?', 1)[0] ?? '';
  const parts = path.split('/');
  const all = [...addresses];
  const known = all.filter((address) => matches(address, parts));
  const kinds = known.some(hasFixedEnd) ? [] : listKinds(all, method, parts);
  if (known.length === 0 || kinds.length > 0) {
    const errors = kinds.length === 0 ? [] : [['path', `must end in one of ${kinds.join(', ')}`] as const];
    return new ApiError(httpErrors.notFound, { values: { method, path }, errors });
  }
  const allowed = [...new Set(known.flatMap(({ methods }) => [...methods]))].sort().join(', ');
  return new ApiError(httpErrors.methodNotAllowed, { values: { method, allowed }, headers: { allow: allowed } });
}

/**
 * What a path can end in for a method that writes, if there are several: `generic`, `sonar`, … for
 * `/attestations/acme/web/trail/main/snyk`.
 */
function listKinds(addresses: readonly Address[], method: string, path: readonly string[]): readonly string[] {
  if (method === 'GET' || method === 'HEAD') return [];
  const kinds = addresses
    .filter((address) => address.methods.has(method) && hasFixedEnd(address))
    .flatMap((address) => address.segments.slice(-1).filter((end) => matches(address, path.with(-1, end))));
  return kinds.length > 1 ? kinds.sort() : [];
}

function hasFixedEnd({ segments }: Address): boolean {
  return segments.at(-1)?.startsWith(':') === false;
}

function matches({ segments }: Address, path: readonly string[]): boolean {
  const fits = (segment: string, index: number): boolean =>
    segment.startsWith(':') ? path[index] !== '' : segment === path[index];
  if (segments.at(-1) !== '*') return segments.length === path.length && segments.every(fits);
  return segments.length <= path.length && segments.slice(0, -1).every(fits);
}
