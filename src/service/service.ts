import type { KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type EnsuredApiKey, ensureInitialApiKey, type InitialApiKey } from './account/admin-key-use-cases.ts';
import { startAdministrationWatch } from './account/background/administration-watch.ts';
import { KeyUses } from './account/background/key-uses.ts';
import { FailureAudit } from './audit/background/failure-audit.ts';
import { loadSigningKeys } from './commands/signing-key-file.ts';
import type { GithubApp } from './github/github-app.ts';
import type { GithubAnswers } from './github/sending/github-answers.ts';
import { LateEntries } from './log/background/late-entries.ts';
import { createFetchJson } from './login/issuers/fetch-json.ts';
import type { TokenVerifier } from './login/workflow-identity.ts';
import { Dispatcher } from './notification/delivery/dispatcher.ts';
import { findEventArtifact } from './notification/delivery/find-event-artifact.ts';
import type { MailServer } from './notification/delivery/send-email.ts';
import { createNotificationSender } from './notification/delivery/send-notification.ts';
import type { Quotas } from './organization/quota.ts';
import { watchClock } from './platform/background/watch-clock.ts';
import { limitStorage } from './platform/database/limited-storage.ts';
import { openStorage, type StorageOptions } from './platform/database/open-storage.ts';
import type { StorageDependencies } from './platform/database/storage.ts';
import { isFull } from './platform/database/storage-faults.ts';
import { StorageHealth } from './platform/database/storage-health.ts';
import { Judging } from './platform/judging/judging.ts';
import { startPendingSnapshots } from './platform/judging/pending-snapshots.ts';
import { Links } from './platform/links.ts';
import { createNameResolver, systemNameServices } from './platform/network/name-resolver.ts';
import { FailedAuthentications } from './platform/server/authentication/failed-authentications.ts';
import { Admission, type AdmissionLimits, defaultAdmissionLimits } from './platform/server/bodies/admission.ts';
import { LargeReads } from './platform/server/bodies/large-reads.ts';
import { listen } from './platform/server/listen.ts';
import { addReadinessRoute } from './platform/server/readiness.ts';
import type { RouteDependencies } from './platform/server/route-dependencies.ts';
import { createServer, defaultTimeouts, type ServerOptions, type Timeouts } from './platform/server/server.ts';
import { prepareShutdown } from './platform/server/shutdown.ts';
import { addRoutes, adminPrefix, apiPrefix } from './routes.ts';
import { startLateWords } from './trail/background/late-words.ts';
import { startTrailJudge } from './trail/background/trail-judge.ts';

export interface ServiceOptions extends ServerOptions, StorageOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The address at which browsers and clients reach the service. Default: the address it listens on. */
  readonly publicUrl?: string | undefined;
  /** Key of the admin API, which is enabled only if it is set. */
  readonly adminKey?: string | undefined;
  /** Creates this organization, with a key, unless it exists. */
  readonly first?: InitialApiKey | undefined;
  /** The mail server; without one no e-mails are sent. */
  readonly mail?: MailServer | undefined;
  /** Whether notifications may be sent to addresses outside of the public internet. */
  readonly allowPrivateTargets?: boolean | undefined;
  /** Whether identity tokens may come from issuers outside of the public internet, such as a GHES. */
  readonly allowPrivateIssuers?: boolean | undefined;
  /** The GitHub App that sets checks; undefined for none. */
  readonly github?: GithubApp | undefined;
  /** The keys that sign transparency logs; by default those of the data folder, or none with PostgreSQL. */
  readonly signingKeys?: readonly KeyObject[] | undefined;
  /** What organizations may use; undefined without limits. */
  readonly quotas?: Quotas | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly admission?: Partial<AdmissionLimits> | undefined;
}

export interface RunningService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The base address of the interface; ends in `/api/v2`. */
  readonly baseUrl: string;
  /** The base address of the admin API. */
  readonly adminUrl: string;
  /** The key that was generated at this start, if any; it cannot be read again. */
  readonly generatedKey: string | undefined;
  /** Finishes the current requests, writes everything to disk, and resolves. */
  stop(): Promise<void>;
}

/** @throws Error if the data folder or the address is in use, or the first key cannot be used. */
export async function startService(options: ServiceOptions, sources: StorageDependencies): Promise<RunningService> {
  await using starting = new AsyncDisposableStack();
  const stopAtEnd = <Part extends { stop(): Promise<void> | void }>(part: Part): Part =>
    starting.adopt(part, (started) => started.stop());
  const opened = await openStorage(options, sources, starting);
  const { attachments, freeBytes, startRemarks = [] } = opened;
  const { quotas } = options;
  const dependencies = {
    ...sources,
    quotas,
    storage: quotas === undefined ? opened.storage : limitStorage(opened.storage, quotas, sources.now),
    attachments,
    judging: new Judging(),
    loadTokenVerifier: createTokenVerifierLoader(options, sources),
    sendsMail: options.mail !== undefined,
    github: options.github,
    signingKeys: options.signingKeys ?? (await findSigningKeys(options, sources)),
  };
  starting.defer(() => dependencies.judging.data.close());
  stopAtEnd(startPendingSnapshots(dependencies));
  const timeouts = options.timeouts ?? defaultTimeouts;
  const storageHealth = new StorageHealth({ ...dependencies, freeBytes });
  const storageFailed = storageHealth.storageFailed.bind(storageHealth);
  const admission = new Admission({ ...defaultAdmissionLimits, ...options.admission });
  const app = createServer({ log: sources.log, storageFailed }, timeouts, admission, options);
  const own: { url?: string } = {};
  const links = new Links(() => options.publicUrl ?? own.url ?? '', apiPrefix);
  const github = await createGithubAnswers({ ...dependencies, links }, options);
  if (github !== undefined) stopAtEnd(github);
  const shutdown = prepareShutdown(app, timeouts);
  const audit = stopAtEnd(new FailureAudit(dependencies));
  const failures = stopAtEnd(new FailedAuthentications({ ...sources, audit }));
  const keyUses = starting.adopt(new KeyUses(dependencies), (uses) => uses.flush());
  const contentViews = new URL('./snapshot/content-views.ts', import.meta.url);
  const largeReads = starting.adopt(new LargeReads(contentViews), (reads) => reads.close());
  addRoutes(
    { app, admission, adminKey: options.adminKey },
    { ...dependencies, findRunCommit: github?.findRunCommit, links, failures, keyUses, largeReads, startRemarks },
  );
  addReadinessRoute(app, storageHealth, { startRemarks, isDraining: () => shutdown.isDraining() });
  const dispatcher = stopAtEnd(startDispatcher({ ...dependencies, links }, options, sources));
  const trailJudge = stopAtEnd(startTrailJudge(dependencies));
  starting.defer(
    watchClock({
      ...sources,
      onChange: () => {
        dispatcher.clockChanged();
        trailJudge.wake();
        github?.clockChanged();
      },
    }),
  );
  stopAtEnd(shutdown);
  await listen(app, { host: options.host, port: options.port });
  own.url = toUrl(app.server.address());
  github?.start();
  // Last: if the start failed after a key was created, nobody would ever see that key.
  const { first } = options;
  const generatedKey = first === undefined ? undefined : await prepareOrganization(dependencies, first);
  stopAtEnd(new LateEntries(dependencies));
  stopAtEnd(startLateWords(dependencies));
  stopAtEnd(startAdministrationWatch(dependencies));
  const running = starting.move();
  const stop = (): Promise<void> => running.disposeAsync();
  return { url: own.url, baseUrl: own.url + apiPrefix, adminUrl: own.url + adminPrefix, generatedKey, stop };
}

/** Creates the organization and its first key. Returns the key if it was generated. */
async function prepareOrganization(
  dependencies: Parameters<typeof ensureInitialApiKey>[0] & Pick<StorageDependencies, 'log'>,
  first: InitialApiKey,
): Promise<string | undefined> {
  const { generated, problem } = await ensureInitialApiKey(dependencies, first).catch(
    (error: unknown): EnsuredApiKey => {
      if (!isFull(error)) throw error;
      const remedy = 'make room, and if there is no such organization yet, start again';
      dependencies.log.error(
        `the organization ${first.org} was not checked, because the disk is full; ${remedy}`,
        error,
      );
      return {};
    },
  );
  if (problem !== undefined) {
    const remedy = `set --key (COMPLIANCE_SERVICE_KEY) to a new key, or create one with: npm run service -- create-key`;
    dependencies.log.info(`the key of organization ${first.org} in --key ${problem}; ${remedy} --org ${first.org}`);
  }
  return generated;
}

/** Loads the verifier at the first login, because it takes long to load and many services have no logins. */
function createTokenVerifierLoader(
  { allowPrivateIssuers: allowPrivate = false }: ServiceOptions,
  sources: StorageDependencies,
): () => Promise<TokenVerifier> {
  const resolve = createNameResolver(systemNameServices(), allowPrivate);
  const fetchJson = createFetchJson({ resolve, allowPrivate }, sources);
  let verifier: TokenVerifier | undefined;
  return async () => {
    const { JoseTokenVerifier } = await import('./login/issuers/token-verifier.ts');
    return (verifier ??= new JoseTokenVerifier(fetchJson, sources.now));
  };
}

function startDispatcher(
  dependencies: Pick<RouteDependencies, 'storage' | 'links' | 'now'>,
  { mail, allowPrivateTargets: allowPrivate = false }: ServiceOptions,
  { after, log }: StorageDependencies,
): Dispatcher {
  const { storage, links, now } = dependencies;
  const web = { resolve: createNameResolver(systemNameServices(), allowPrivate), allowPrivate };
  const send = createNotificationSender({
    findArtifact: (query) => findEventArtifact(dependencies, query),
    ...{ links, web, mail, now, log },
  });
  return new Dispatcher({ storage, send, now, after, log });
}

/** Processes that share a database need the same key, so none is created for them. */
async function findSigningKeys(
  { database, dataFolder }: ServiceOptions,
  { log }: StorageDependencies,
): Promise<readonly KeyObject[] | undefined> {
  if (database !== undefined) return undefined;
  try {
    return await loadSigningKeys(dataFolder);
  } catch (error) {
    log.error('the transparency logs will not be signed, because the signing key cannot be used', error);
    return undefined;
  }
}

async function createGithubAnswers(
  dependencies: Omit<ConstructorParameters<typeof GithubAnswers>[0], 'app'>,
  { github: app }: ServiceOptions,
): Promise<GithubAnswers | undefined> {
  if (app === undefined) return undefined;
  const { GithubAnswers: Answers } = await import('./github/sending/github-answers.ts');
  return new Answers({ ...dependencies, app });
}

function toUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new TypeError('the server has no address');
  const { family, address: host, port } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
