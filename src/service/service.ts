import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { addAdministrationRoutes } from './http/admin/routes.ts';
import { createSender } from './notifications/send-notification.ts';
import { Dispatcher } from './notifications/dispatcher.ts';
import type { MailServer } from './notifications/send-email.ts';
import { watchClock } from './watch-clock.ts';
import { createNameResolver, systemNameServices } from './notifications/name-resolver.ts';
import type { After, Now } from '../runtime/clock.ts';
import type { RandomBytes } from '../runtime/random.ts';
import { ensureFirstKey, type FirstKey } from './initial-api-key.ts';
import { openApiDocument } from './http/openapi/document.ts';
import { Admission, type AdmissionLimits } from './http/bodies/admission.ts';
import { addArtifactRoutes } from './http/api/artifacts.ts';
import { addAttestationListRoutes } from './http/api/attestation-list.ts';
import { addAttestationRoutes } from './http/api/attestations.ts';
import { addEnvironmentRoutes } from './http/api/environments.ts';
import { addFlowRoutes } from './http/api/flows.ts';
import { FailedAuthentications } from './http/authentication/failed-authentications.ts';
import { linksOf } from './domain/links.ts';
import type { ServiceLog } from '../runtime/log.ts';
import { addNotificationRoutes } from './http/api/notifications.ts';
import { addPages } from './http/pages/page-routes.ts';
import { sendJson } from './http/json-response.ts';
import { createServer, defaultTimeouts, type Timeouts } from './http/server.ts';
import { addReadiness, Readiness } from './storage-health.ts';
import { addPolicyRoutes } from './http/api/policies.ts';
import { addServiceAccountRoutes } from './http/api/service-accounts.ts';
import type { Dependencies } from './http/dependencies.ts';
import { addSnapshotRoutes } from './http/api/snapshots.ts';
import { addUserRoutes } from './http/api/users.ts';
import { openStorage } from './open-storage.ts';
import type { ReceivedFile } from './storage/attachments.ts';
import { prepareShutdown } from './http/shutdown.ts';

/** The prefix of the interface (interface, Versioning). */
export const apiPrefix = '/api/v2';
/** The prefix of the separate way in. */
export const adminPrefix = '/admin/v1';

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
  readonly first?: FirstKey | undefined;
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
    const storage = await openStorage(options, sources, closers);
    const dependencies = { ...sources, ...storage, sendsMail: options.mail !== undefined };
    const { first } = options;
    const generatedKey = first === undefined ? undefined : await ensureFirstKey(dependencies.store, first, sources);
    const timeouts = options.timeouts ?? defaultTimeouts;
    const readiness = new Readiness({ ...dependencies, dataFolder: options.dataFolder });
    const storageFailed = readiness.storageFailed.bind(readiness);
    const admission = new Admission(options.admission);
    const app = createServer({ log: sources.log, storageFailed }, timeouts, admission);
    const own: { url?: string } = {};
    const links = linksOf(() => options.publicUrl ?? own.url ?? '', apiPrefix);
    const shutdown = prepareShutdown(app, timeouts);
    const failures = new FailedAuthentications(sources);
    closers.push(() => {
      failures.stop();
    });
    addRoutes(app, { ...dependencies, links, failures }, options, admission);
    addReadiness(app, readiness, shutdown);
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
    own.url = urlOf(app.server.address());
    return { url: own.url, baseUrl: own.url + apiPrefix, adminUrl: own.url + adminPrefix, generatedKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts to deliver notifications. */
function startDispatcher(
  { store, links, now }: Pick<Dependencies, 'store' | 'links' | 'now'>,
  { mail, allowPrivateTargets = false }: ServiceOptions,
  { after, log }: ServiceSources,
): Dispatcher {
  const web = { resolve: createNameResolver(systemNameServices(), allowPrivateTargets), allowPrivateTargets };
  return new Dispatcher({ store, deliver: createSender({ store, links, web, mail, now }), now, after, log });
}

function addRoutes(
  app: FastifyInstance,
  dependencies: Dependencies,
  { adminKey }: ServiceOptions,
  admission: Admission,
): void {
  const receiveFile = (content: Readable): Promise<ReceivedFile> => dependencies.attachments.receive(content);
  const api = { app, prefix: apiPrefix, receiveFile, admission };
  addFlowRoutes(api, dependencies);
  addAttestationRoutes(api, dependencies);
  addArtifactRoutes(api, dependencies);
  addAttestationListRoutes(api, dependencies);
  addEnvironmentRoutes(api, dependencies);
  addPolicyRoutes(api, dependencies);
  addSnapshotRoutes(api, dependencies);
  addNotificationRoutes(api, dependencies);
  addServiceAccountRoutes(api, dependencies);
  addUserRoutes(api, dependencies);
  if (adminKey !== undefined) addAdministrationRoutes({ ...api, prefix: adminPrefix }, dependencies, adminKey);
  addPages(api, dependencies);
  app.get(`${apiPrefix}/openapi.json`, (_request, reply) =>
    sendJson(reply, 200, openApiDocument(dependencies.links.base())),
  );
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new TypeError('the server has no address');
  const { family, address: host, port } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
