import type { AddressInfo } from 'node:net';
import { createNotificationSender } from './notifications/send-notification.ts';
import { Dispatcher } from './notifications/dispatcher.ts';
import type { MailServer } from './notifications/send-email.ts';
import { watchClock } from './watch-clock.ts';
import { createNameResolver, systemNameServices } from './notifications/name-resolver.ts';
import type { After, Now } from '../runtime/clock.ts';
import type { RandomBytes } from '../runtime/random.ts';
import { ensureInitialApiKey, type InitialApiKey } from './application/admin-keys.ts';
import { Admission, type AdmissionLimits } from './http/bodies/admission.ts';
import { FailedAuthentications } from './http/authentication/failed-authentications.ts';
import { linksOf } from './domain/links.ts';
import { createServer, defaultTimeouts, type Timeouts } from './http/server.ts';
import { addReadinessRoute } from './http/readiness.ts';
import { adminPrefix, addRoutes, apiPrefix } from './http/routes.ts';
import { StorageHealth } from './storage-health.ts';
import { openStorage } from './storage/open-storage.ts';
import { Turns } from './storage/turns.ts';
import { prepareShutdown } from './http/shutdown.ts';
import type { ServiceLog } from '../runtime/log.ts';
import type { RouteDependencies } from './http/route-dependencies.ts';

/** How a service is set up. */
export interface ServiceOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Where everything is kept; made where it is missing. One service at a time. */
  readonly dataFolder: string;
  /** Where browsers and clients reach the service; what it listens on, where absent. */
  readonly publicUrl?: string | undefined;
  /** Opens the separate way in; closed where absent. */
  readonly adminKey?: string | undefined;
  /** Makes sure that this organization exists, with a key. */
  readonly first?: InitialApiKey | undefined;
  /** How e-mails leave; none do, where absent. */
  readonly mail?: MailServer | undefined;
  /** Whether notifications may go to addresses that are not of the public internet. */
  readonly allowPrivateTargets?: boolean | undefined;
  /** The operator means it: attachments that the database does not name go to the trash, however many they are. */
  readonly trashUnnamedAttachments?: boolean | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly admission?: AdmissionLimits | undefined;
}

/** What the service needs of the outside. */
export interface ServiceSources {
  readonly now: Now;
  /** Milliseconds since any moment; nothing sets it forward or back. */
  readonly monotonic: Now;
  readonly after: After;
  readonly randomBytes: RandomBytes;
  readonly log: ServiceLog;
}

/** A service that answers. */
export interface RunningService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The base address of the interface; ends in `/api/v2`. */
  readonly baseUrl: string;
  /** The base address of the separate way in. */
  readonly adminUrl: string;
  /** A key that was generated at this start; never shown again. */
  readonly generatedKey: string | undefined;
  /** Ends after the requests that are being answered, with everything on the disk. */
  stop(): Promise<void>;
}

/**
 * Starts a service.
 *
 * @throws Error where the data folder or the address is in use, or the first key cannot be used.
 */
export async function startService(options: ServiceOptions, sources: ServiceSources): Promise<RunningService> {
  const closers: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const { dataFolder, trashUnnamedAttachments } = options;
    const opened = await openStorage({ kind: 'sqlite', folder: dataFolder, trashUnnamedAttachments }, sources, closers);
    const dependencies = { ...sources, ...opened, turns: new Turns(), sendsMail: options.mail !== undefined };
    const { first } = options;
    const generatedKey = first === undefined ? undefined : await ensureInitialApiKey(dependencies, first);
    const timeouts = options.timeouts ?? defaultTimeouts;
    const storageHealth = new StorageHealth({ ...dependencies, dataFolder });
    const storageFailed = storageHealth.storageFailed.bind(storageHealth);
    const admission = new Admission(options.admission);
    const app = createServer({ log: sources.log, storageFailed }, timeouts, admission);
    const own: { url?: string } = {};
    const links = linksOf(() => options.publicUrl ?? own.url ?? '', apiPrefix);
    const shutdown = prepareShutdown(app, timeouts);
    const failures = new FailedAuthentications(sources);
    closers.push(() => {
      failures.stop();
    });
    addRoutes({ app, admission, adminKey: options.adminKey }, { ...dependencies, links, failures });
    addReadinessRoute(app, storageHealth, shutdown);
    const dispatcher = startDispatcher({ ...dependencies, links }, options, sources);
    closers.push(() => dispatcher.stop());
    closers.push(
      watchClock({
        ...sources,
        onChange: () => {
          dispatcher.clockChanged();
        },
      }),
    );
    closers.push(() => shutdown.stop());
    await app.listen({ host: options.host, port: options.port });
    own.url = toUrl(app.server.address());
    return { url: own.url, baseUrl: own.url + apiPrefix, adminUrl: own.url + adminPrefix, generatedKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts to deliver notifications. */
function startDispatcher(
  { store, links, now }: Pick<RouteDependencies, 'store' | 'links' | 'now'>,
  { mail, allowPrivateTargets = false }: ServiceOptions,
  { after, log }: ServiceSources,
): Dispatcher {
  const web = { resolve: createNameResolver(systemNameServices(), allowPrivateTargets), allowPrivateTargets };
  return new Dispatcher({ store, send: createNotificationSender({ store, links, web, mail, now }), now, after, log });
}

function toUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new TypeError('the server has no address');
  const { family, address: host, port } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
