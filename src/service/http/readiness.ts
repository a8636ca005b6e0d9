import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors/api-error.ts';
import { httpErrors, retryAfterHeader } from './errors/http-errors.ts';
import type { Shutdown } from './shutdown.ts';
import type { StorageError } from '../storage/storage-error.ts';

/** A storage whose health can be checked. */
export interface CheckedStorage {
  /** Why nothing can be recorded; undefined if the storage works. */
  check(): Promise<StorageError | undefined>;
}

/** Adds `GET /ready`, for load balancers and health checks. */
export function addReadinessRoute(
  app: FastifyInstance,
  storage: CheckedStorage,
  shutdown: Pick<Shutdown, 'isDraining'>,
): void {
  app.get('/ready', async (_request, reply) => {
    if (shutdown.isDraining()) throw new ApiError(httpErrors.draining);
    const fault = await storage.check();
    // Plain text, because the public client prints it as it is.
    if (fault === undefined) return reply.type('text/plain; charset=utf-8').send('OK');
    throw new ApiError(httpErrors.notReady, { values: { reason: fault.reason }, headers: retryAfterHeader });
  });
}
