import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName } from '../../../contract/names.ts';
import { type Static, type TObject, Type } from '../../../contract/schema.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import { actorName, type Caller, type Permission } from '../../account/access.ts';
import type { StoredKey } from '../../account/account.ts';
import { readsEverything } from '../../account/readable-parts.ts';
import { toFormToken } from '../../session/session.ts';
import { PagePaths } from '../page-paths.ts';
import {
  authenticate,
  type Authenticator,
  requestOrganization,
  requireApiKey,
  requireRole,
} from '../server/authentication/authentication.ts';
import { Admission, defaultAdmissionLimits, requestHolder } from '../server/bodies/admission.ts';
import { ApiError } from '../server/errors/api-error.ts';
import { httpErrors } from '../server/errors/http-errors.ts';
import { wantsHtml } from '../server/errors/route-not-found.ts';
import type { RouteDependencies } from '../server/route-dependencies.ts';
import { validatePath, validateQuery } from '../server/validation.ts';
import { withQuery } from './api-request.ts';
import { renderFailure } from './components.ts';
import { html } from './html.ts';
import { sendPage } from './layout.ts';
import { type ExportedList, exportFormats, exportList } from './list-export.ts';
import type { Page, PageContext, Viewer } from './page.ts';
import { readSessionCookie } from './session-cookie.ts';

export interface PageHost {
  readonly app: FastifyInstance;
  readonly admission: Admission;
  readonly dependencies: RouteDependencies;
  readonly paths: PagePaths;
  /** The caller of a request with a valid key, for error pages. */
  readonly viewers: WeakMap<FastifyRequest, Viewer>;
  /** Counts the lists that are being downloaded. */
  readonly exports: Admission;
}

/** The maximum number of lists of an organization that one caller downloads at the same time. */
const maximumExports = 4;

/** Creates the host of the pages. Addresses in pages are relative to the host, because it can have several names. */
export function createPageHost(server: Pick<PageHost, 'app' | 'admission'>, dependencies: RouteDependencies): PageHost {
  const root = (): string => (URL.parse(dependencies.links.origin())?.pathname ?? '').replace(/\/$/, '');
  const exports = new Admission({ ...defaultAdmissionLimits, requests: maximumExports });
  return { ...server, dependencies, paths: new PagePaths(root), viewers: new WeakMap(), exports };
}

export const orgPath = Type.Object({ org: orgName });

/** How the lists of a page are read, by name. */
export type PageLists<Path extends TObject, Query extends TObject> = Readonly<
  Record<string, (request: PageRequest<Path, Query>) => ExportedList | Promise<ExportedList>>
>;

export interface PageDeclaration<Path extends TObject, Query extends TObject> {
  readonly url: string;
  readonly path: Path;
  readonly query: Query;
  /** Default: `read`. */
  readonly permission?: Permission | undefined;
  /** Lists that the query `download=NAME.csv` or `download=NAME.json` returns as a file, by name. */
  readonly lists?: PageLists<Path, Query> | undefined;
}

export interface PageRequest<Path extends TObject, Query extends TObject> {
  readonly path: Static<Path>;
  readonly query: Static<Query>;
  readonly context: PageContext;
  readonly caller: Caller;
  readonly request: FastifyRequest;
}

const pageEndpoint = { authentication: ['basic', 'bearer'], errors: [commonErrors.forbidden] } as const;

/**
 * Adds a page of an organization, with the access that the API gives to the same data.
 *
 * @param handler creates the page; throws an ApiError if there is none
 */
export function addPage<Path extends TObject, Query extends TObject>(
  host: PageHost,
  { url, path, query, permission = 'read', lists = {} }: PageDeclaration<Path, Query>,
  handler: (request: PageRequest<Path, Query>) => Promise<Page>,
): void {
  const requireCaller = requireRole(host.dependencies, permission);
  const files = Object.entries(lists).flatMap(([name, list]) =>
    exportFormats.map((format) => ({ file: `${name}.${format}`, name, list, format })),
  );
  const downloadQuery = Type.Object({ download: Type.Optional(Type.Enum(files.map(({ file }) => file))) });
  addAuthenticated(host, url, requireCaller, async (request, reply, caller) => {
    const viewer = toViewer(host, request, caller);
    host.viewers.set(request, viewer);
    const context = toContext(host, request, viewer);
    const parameters = {
      path: validatePath<Path>(path, request.params),
      query: validateQuery<Query>(query, request.query),
    };
    const received = { ...parameters, context, caller, request };
    const { download } = validateQuery<typeof downloadQuery>(downloadQuery, request.query);
    const file = files.find((one) => one.file === download);
    if (file === undefined) return sendPage(reply, await handler(received), context);
    const { name, list, format } = file;
    const exported = await exportList(() => list(received), format, {
      name: [...Object.values(parameters.path), name].join('-'),
      enter: (output) => {
        host.exports.enter(`${caller.org} ${actorName(caller)}`, output);
      },
      failed: (error) => {
        host.dependencies.log.error(`${name} of ${caller.org} could not be sent completely`, error);
      },
    });
    return exported.send(reply);
  });
}

/** Adds a page about the owner of a key, which belongs to no organization. */
export function addOwnPage(
  host: PageHost,
  url: string,
  handler: (context: PageContext, key: StoredKey, session: string | undefined) => Promise<Page>,
): void {
  addAuthenticated(host, url, requireApiKey(host.dependencies), async (request, reply, key) => {
    const context = toContext(host, request, toViewer(host, request, key));
    return sendPage(reply, await handler(context, key, readSession(host, request)), context);
  });
}

/** Adds a GET route for browsers: they authenticate by their session, and get errors as pages. */
export function addAuthenticated<Who>(
  host: PageHost,
  url: string,
  authenticator: Authenticator<Who>,
  handler: (request: FastifyRequest, reply: FastifyReply, who: Who) => Promise<FastifyReply>,
): void {
  host.app.get(url, {
    config: { ...createRouteConfig(host), isAuthenticated: true },
    handler: async (request, reply) => {
      const session = readSessionCookie(request, host.dependencies);
      const who = await authenticate(request, pageEndpoint, authenticator, {
        session,
        identified: (key) => host.viewers.set(request, toViewer(host, request, key)),
      });
      host.admission.enter(requestHolder(request), reply.raw);
      return handler(request, reply, who);
    },
  });
}

/** Answers browsers that request an unknown address. A user who is signed in keeps the navigation. */
export function addNotFoundPage(host: PageHost): void {
  const authenticateKey = requireApiKey(host.dependencies);
  host.app.setNotFoundHandler(async (request, reply) => {
    const { method, url } = request;
    const error = new ApiError(httpErrors.notFound, { values: { method, path: url.split('?', 1)[0] ?? '' } });
    let key: StoredKey | undefined;
    try {
      const session = readSessionCookie(request, host.dependencies);
      key = await authenticate(request, pageEndpoint, authenticateKey, { session });
      host.viewers.set(request, toViewer(host, request, key));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
    }
    return sendErrorPage(host, error, request, reply, key?.org);
  });
}

export function createRouteConfig(
  host: Omit<PageHost, 'app' | 'admission'>,
): Pick<FastifyRequest['routeOptions']['config'], 'sendError'> {
  return { sendError: (error, request, reply) => sendErrorPage(host, error, request, reply) };
}

export function toContext(
  { dependencies, paths }: Omit<PageHost, 'app' | 'admission'>,
  request: FastifyRequest,
  viewer: Viewer | undefined,
): PageContext {
  const { now, links } = dependencies;
  return { paths, now: unixSeconds(now()), org: requestOrganization(request), viewer, apiBase: links.base() };
}

/** A request with a key of its own has no session, even if the browser sends a cookie, too. */
function readSession({ dependencies }: Pick<PageHost, 'dependencies'>, request: FastifyRequest): string | undefined {
  return request.headers.authorization === undefined ? readSessionCookie(request, dependencies) : undefined;
}

function toViewer(
  host: Pick<PageHost, 'dependencies'>,
  request: FastifyRequest,
  caller: Pick<Caller, 'ownerKind' | 'owner'> & Partial<Caller>,
): Viewer {
  const token = readSession(host, request);
  const { org, grants } = caller;
  return {
    name: actorName(caller),
    isAdmin: grants?.some(({ role }) => role === 'admin') === true,
    isLimited: org !== undefined && grants !== undefined && !readsEverything({ org, grants }),
    formToken: token === undefined ? undefined : toFormToken(token),
  };
}

/** What an error page says under its title, by status. */
const remedies: Readonly<Record<number, string>> = {
  400: 'The address of this page is not valid. Check it, or start from the home page.',
  403: 'The key that you signed in with may not see this page. Sign in with another one, or ask an administrator.',
  404: 'It may have been misspelt, or the link may be from another service. Search for it, or start from the home page.',
};

/** Sends an error as a page to a browser: a browser that is not signed in is asked to sign in. */
export function sendErrorPage(
  host: Omit<PageHost, 'app' | 'admission'>,
  error: ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
  org = requestOrganization(request),
): FastifyReply | undefined {
  if (!wantsHtml(request)) return undefined;
  const { paths } = host;
  if (error.status === 401 && request.headers.authorization === undefined) {
    // The address as the browser knows it: a proxy may have removed the path of `--public-url`. A form is not sent again.
    const next = request.method === 'GET' ? paths.home().slice(0, -1) + request.url : undefined;
    return reply.redirect(withQuery(paths.signIn(), { next }), 303);
  }
  const details = Object.entries(error.body.errors ?? {}).map(([field, rule]) => html`<li>${field}: ${rule}</li>`);
  const content = html`${renderFailure(error.body.message)}
    ${
      details.length === 0
        ? undefined
        : html`<ul class="plain">
            ${details}
          </ul>`
    }
    <p>${remedies[error.status] ?? 'Try again later. If it happens again, the operator of the service can help.'}</p>
    <p><a class="button" href="${paths.home()}">Home</a></p>`;
  const page = { title: error.status === 404 ? 'Not found' : `Error ${error.status}`, content, status: error.status };
  const context = { ...toContext(host, request, host.viewers.get(request)), org };
  return sendPage(reply.headers(error.headers), page, context);
}
