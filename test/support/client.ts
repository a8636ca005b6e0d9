import { ComplianceClient, type Connection } from '../../src/client/client.ts';
import type { RetryPolicy } from '../../src/http/retry-schedule.ts';
import { createTransport } from '../../src/http/undici-transport.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import { instantClock } from './clock.ts';
import { type CollectingLog, collectingLog } from './log.ts';

/** Settings that a test can change. */
export interface TestClientSettings {
  readonly connection?: Partial<Connection>;
  readonly retryPolicy?: Partial<RetryPolicy>;
  readonly environment?: EnvironmentVariables;
  /** By default, waits between attempts take no time, and deadlines hold. */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** A number from 0 up to 1. By default always 0. */
  readonly random?: () => number;
}

/** The real client with real sockets. */
export interface TestClient {
  readonly client: ComplianceClient;
  readonly log: CollectingLog;
  close(): Promise<void>;
}

/** Opens a client for a base address. The caller must close it. */
export function openTestClient(baseUrl: URL | string, settings: TestClientSettings = {}): TestClient {
  const log = collectingLog();
  const transport = createTransport(settings.environment ?? {});
  const client = new ComplianceClient(
    {
      baseUrl: new URL(baseUrl),
      apiToken: 'an-api-key',
      authenticationMethod: 'bearer',
      filePartStyle: 'indexed',
      ...settings.connection,
    },
    {
      clock: settings.clock ?? instantClock(),
      random: settings.random ?? (() => 0),
      log,
      transport,
      retryPolicy: { requestTimeout: 60_000, retries: 3, ...settings.retryPolicy },
      ...(settings.signal === undefined ? {} : { signal: settings.signal }),
    },
  );
  return { client, log, close: () => transport.close() };
}
