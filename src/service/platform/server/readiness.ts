import type { FastifyInstance } from 'fastify';
import type { StorageHealth } from '../database/storage-health.ts';
import { ApiError } from './errors/api-error.ts';
import { httpErrors, retryAfterHeader } from './errors/http-errors.ts';
import type { Shutdown } from './shutdown.ts';

/**
 * Adds `GET /ready`, for load balancers and health checks. A process whose object storage fails is ready: all others
 * have the same, and without them nothing at all would be answered.
 */
export function addReadinessRoute(
  app: FastifyInstance,
  storage: Pick<StorageHealth, 'check'>,
  service: Pick<Shutdown, 'isDraining'> & { readonly startRemarks: readonly string[] },
): void {
  app.get('/ready', { config: { isExemptFromLimits: true } }, async (_request, reply) => {
    if (service.isDraining()) throw new ApiError(httpErrors.draining);
    const faults = await storage.check();
    if (faults.storage !== undefined) {
      const values = { reason: faults.storage.reason };
      throw new ApiError(httpErrors.notReady, { values, headers: retryAfterHeader });
    }
    // Plain text, because the public client prints it as it is.
    const exception =
      faults.objectStorage === undefined
        ? ''
        : `, except for attachments: the object storage is ${faults.objectStorage.reason}`;
    const text = [`OK${exception}`, ...service.startRemarks].join('; ');
    return reply.type('text/plain; charset=utf-8').send(text);
  });
}
