import type { FastifyInstance, FastifyRequest } from 'fastify';

const property = 'authenticated';

/**
 * What a route has found out about its requests when it authenticated them, for its handler. It is a property of each
 * request, because an entry of a `WeakMap` takes a microsecond.
 */
export class AuthenticatedRequests<Found extends object> {
  /** Call it before routes are added. */
  static prepare(app: FastifyInstance): void {
    app.decorateRequest(property, undefined);
  }

  set(request: FastifyRequest, found: Found): void {
    request.setDecorator(property, found);
  }

  /** @throws TypeError if the request was not authenticated */
  get(request: FastifyRequest): Found {
    // A request has one route, so no other has set it.
    const found = request.getDecorator<Found | undefined>(property);
    if (found === undefined) throw new TypeError('the request was not authenticated');
    return found;
  }
}
