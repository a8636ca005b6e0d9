import type { FastifyReply, FastifyRequest } from 'fastify';
import { commonErrors } from '../../contract/errors.ts';
import { actorName } from '../account/access.ts';
import type { StoredKey } from '../account/account.ts';
import { pageLink, renderExpiry, renderFacts, renderFailure, renderTime } from '../platform/pages/components.ts';
import { readForm, requireFormToken } from '../platform/pages/form-request.ts';
import { type Html, html } from '../platform/pages/html.ts';
import { sendPage } from '../platform/pages/layout.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addOwnPage, createRouteConfig, type PageHost, toContext } from '../platform/pages/page-host.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../platform/pages/session-cookie.ts';
import { renderTable } from '../platform/pages/table.ts';
import { authenticate, EndedKeyError, requireApiKey } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { hashSessionToken, type Session } from './session.ts';
import { endAllSessions, endSession, listSessions, startSession } from './session-use-cases.ts';

/** Adds signing in and out, and the page with the sessions of the key that is signed in. */
export function addSessionPages(host: PageHost): void {
  const { app, dependencies, paths } = host;
  const authenticateKey = requireApiKey(dependencies);
  const config = createRouteConfig(host);

  app.get('/-/sign-in', { config }, (request, reply) => {
    const next = toOwnAddress(new URLSearchParams(request.url.split('?', 2)[1] ?? '').get('next'), paths.home());
    return sendSignIn(host, request, reply, { next });
  });

  app.post('/-/sign-in', { config }, async (request, reply) => {
    const form = await readForm(request, dependencies);
    const next = toOwnAddress(form.get('next'), paths.home());
    const authorization = `Bearer ${(form.get('key') ?? '').trim()}`;
    const headers = { ...request.headers, authorization };
    try {
      const attempt = { method: request.method, url: request.url, params: request.params, ip: request.ip };
      const key = await authenticate({ ...attempt, headers }, signInEndpoint, authenticateKey);
      setSessionCookie(request, reply, dependencies, await startSession(dependencies, key));
      return await reply.redirect(next, 303);
    } catch (error) {
      if (!(error instanceof ApiError) || ![401, 429].includes(error.status)) throw error;
      const problem = describeRefusal(error);
      return sendSignIn(host, request, reply.headers(withoutChallenge(error)), { next, problem, status: error.status });
    }
  });

  const withSession = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (key: StoredKey, token: string) => Promise<void>,
  ): Promise<FastifyReply> => {
    const form = await readForm(request, dependencies);
    const token = readSessionCookie(request, dependencies) ?? '';
    const key = await authenticate(request, signInEndpoint, authenticateKey, { session: token });
    requireFormToken(form, token);
    await work(key, token);
    clearSessionCookie(request, reply, dependencies);
    return reply.redirect(paths.signIn(), 303);
  };

  app.post('/-/sign-out', { config }, (request, reply) =>
    withSession(request, reply, (key, token) => endSession(dependencies, { key, token })),
  );

  app.post('/-/sessions', { config }, (request, reply) =>
    withSession(request, reply, (key) => endAllSessions(dependencies, key)),
  );

  addOwnPage(host, '/-/sessions', async (context, key, token) =>
    toSessionsPage(context, key, await listSessions(dependencies, key), token),
  );
}

const signInEndpoint = { authentication: ['bearer'], errors: [commonErrors.forbidden] } as const;

/** The error without the header that would make a browser open a dialog of its own. */
function withoutChallenge({ headers }: ApiError): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'www-authenticate'));
}

function describeRefusal(error: ApiError): string {
  if (error.status === 429) return `${error.body.message}.`;
  if (error instanceof EndedKeyError) return `This ${error.rule}.`;
  return 'This is not an API key of this service. Copy the whole key, from its first to its last character.';
}

/** Returns the address if it is one of this service, else the default: a link must not lead to another site. */
export function toOwnAddress(address: string | null, otherwise: string): string {
  if (address === null || !/^\/[!-~]*$/.test(address)) return otherwise;
  const base = 'http://service.invalid';
  const url = URL.parse(address, base);
  if (url?.origin !== base) return otherwise;
  const own = url.pathname + url.search + url.hash;
  // Browsers read `//host` as another site. Only the parsed address shows it: `/.//host` begins with it, too.
  return own.startsWith('//') ? otherwise : own;
}

interface SignInForm {
  readonly next: string;
  /** Why the key was refused. */
  readonly problem?: string | undefined;
  readonly status?: number | undefined;
}

function sendSignIn(
  host: PageHost,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, problem, status = 200 }: SignInForm,
): FastifyReply {
  const content = html`<form class="sign-in" method="post" action="${host.paths.signIn()}">
    ${problem === undefined ? undefined : renderFailure(problem, html`role="alert" id="problem"`)}
    <label for="key">API key</label>
    <input
      id="key"
      name="key"
      type="password"
      required
      autofocus
      autocomplete="current-password"
      spellcheck="false"
      ${problem === undefined ? undefined : html`aria-invalid="true" aria-describedby="problem"`}
    />
    <input type="hidden" name="next" value="${next}" />
    <button>Sign in</button>
    <p>
      You see what the key may read. The browser does not keep the key: it gets a session, which ends after 12 hours,
      when you sign out, or when the key expires or is revoked. An administrator of your organization creates keys.
    </p>
  </form>`;
  return sendPage(reply, { title: 'Sign in', content, status }, toContext(host, request, undefined));
}

function toSessionsPage(
  context: PageContext,
  key: StoredKey,
  sessions: readonly Session[],
  token: string | undefined,
): Page {
  const { paths, viewer } = context;
  const own = token === undefined ? undefined : Buffer.from(hashSessionToken(token)).toString('hex');
  const rows = sessions.toReversed().map(({ tokenHash, createdAt, expiresAt }) => {
    const hash = Buffer.from(tokenHash).toString('hex');
    return [renderTime(createdAt, context), renderTime(expiresAt, context), hash === own ? 'This browser' : 'Another'];
  });
  return {
    title: 'Sessions',
    content: html`${renderFacts([
        ['Signed in as', actorName(key)],
        ['Key', key.id],
        ['The key expires', renderExpiry(key.expiresAt, context)],
      ])}
      <h2>Sessions of this key</h2>
      ${renderTable({
        label: 'Sessions of this key',
        columns: ['Started', 'Ends', 'Browser'],
        rows,
        empty: html`No browser is signed in with this key. ${pageLink(paths.signIn(), 'Sign in')}`,
      })}
      ${rows.length === 0 ? undefined : renderEndAll(paths.sessions(), viewer?.formToken)}`,
  };
}

function renderEndAll(action: string, formToken: string | undefined): Html | undefined {
  if (formToken === undefined) return undefined;
  return html`<form method="post" action="${action}">
    <input type="hidden" name="token" value="${formToken}" />
    <button>End all sessions of this key</button>
    <p>Every browser that is signed in with this key must sign in again, this one included.</p>
  </form>`;
}
