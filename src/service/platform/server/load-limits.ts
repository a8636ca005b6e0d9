import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Admission, requestHolder } from './bodies/admission.ts';
import { ApiError } from './errors/api-error.ts';
import { httpErrors } from './errors/http-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the load limits do not apply to the route, such as a health check. */
    readonly isExemptFromLimits?: boolean;
    /** Whether the route checks keys, and counts requests for their organization. */
    readonly isAuthenticated?: boolean;
  }
}

/** Above these, requests are rejected. */
export interface LoadLimits {
  /** The mean delay of the event loop, in milliseconds; 0 for any. */
  readonly delay: number;
  /** In bytes. */
  readonly heap: number;
  readonly rss: number;
  /** How often they are measured, in milliseconds; at least `delay`. */
  readonly interval: number;
  /** The most requests without a key from an address in a minute. */
  readonly anonymous: number;
}

/** The part of the available memory that is used before requests are rejected. */
const usable = 0.95;

/** The default limits, which only a flood reaches. */
function defaultLoadLimits(): LoadLimits {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  const heap = getHeapStatistics().heap_size_limit * usable;
  return { delay: 2000, heap, rss: memory * usable, interval: 1000, anonymous: 6000 };
}

/** Rejects requests while the process is overloaded, and too many requests without a key. Call it before adding other hooks. */
export function addLoadLimits(app: FastifyInstance, admission: Admission, limits: Partial<LoadLimits> = {}): void {
  const { delay, heap, rss, interval, anonymous } = { ...defaultLoadLimits(), ...limits };
  void app.register(underPressure, {
    ...{ maxEventLoopDelay: delay, maxHeapUsedBytes: heap, maxRssBytes: rss },
    // The delay counts as infinite if the event loop was blocked for the whole interval.
    sampleInterval: Math.max(interval, delay),
    pressureHandler: (request) => {
      if (!isExempt(request)) throw new ApiError(httpErrors.underPressure, { headers: { 'retry-after': '2' } });
    },
  });
  void app.register(rateLimit, { global: false });
  const keyGenerator = (request: FastifyRequest): string => requestHolder(request, false);
  let count: ReturnType<typeof app.createRateLimit> | undefined;
  app.addHook('onRequest', async (request, reply) => {
    if (isExempt(request) || (request.routeOptions.config.isAuthenticated === true && hasCredentials(request))) return;
    count ??= app.createRateLimit({ max: anonymous, timeWindow: 60_000, keyGenerator });
    const counted = await count(request);
    if (!counted.isAllowed && counted.isExceeded) {
      const headers = { 'retry-after': String(Math.max(1, counted.ttlInSeconds)) };
      throw new ApiError(httpErrors.tooManyRequests, { headers });
    }
    admission.enter(requestHolder(request, false), reply.raw);
  });
}

const isExempt = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.isExemptFromLimits === true;

const hasCredentials = ({ headers }: FastifyRequest): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined;
