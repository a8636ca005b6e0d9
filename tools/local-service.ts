import { randomBytes } from 'node:crypto';
import { systemClock } from '../src/runtime/clock.ts';
import type { StorageDependencies } from '../src/service/platform/database/storage.ts';
import { type RunningService, type ServiceOptions, startService } from '../src/service/service.ts';

/** A service that runs in this process. */
export interface LocalService extends RunningService {
  /** What it logged about defects and errors. */
  readonly errors: readonly string[];
}

/**
 * Starts a service in this process, on a free port of the loopback interface, for tests and samples. The caller must
 * stop it.
 *
 * @param sources replace the real clock and randomness, and a log that only collects errors
 */
export async function startLocalService(
  options: Omit<ServiceOptions, 'host' | 'port'>,
  sources: Partial<StorageDependencies> = {},
): Promise<LocalService> {
  const errors: string[] = [];
  const service = await startService(
    { host: '127.0.0.1', port: 0, ...options },
    {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      after: systemClock.after.bind(systemClock),
      randomBytes: (size) => randomBytes(size),
      log: {
        info: () => undefined,
        error: (line, ...details) => {
          const shown = details.map((error) => (error instanceof Error ? (error.stack ?? '') : String(error)));
          errors.push([line, ...shown].join(': '));
        },
      },
      ...sources,
    },
  );
  return { ...service, errors };
}
