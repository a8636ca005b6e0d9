import type { FastifyReply, FastifyRequest } from 'fastify';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { Session } from '../../session/session.ts';
import type { RouteDependencies } from '../server/route-dependencies.ts';

/** The name of the cookie. Browsers accept one with this prefix only over TLS, for this host and all paths. */
const secureName = '__Host-compliance-session';
const plainName = 'compliance-session';

/**
 * The token of the session in the cookie; undefined if there is none. Behind TLS, only the cookie counts that other hosts
 * of the domain cannot set.
 */
export function readSessionCookie(
  request: Pick<FastifyRequest, 'headers'>,
  dependencies: Pick<RouteDependencies, 'links'>,
): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return (isOverTls(request, dependencies) ? [secureName] : [secureName, plainName])
    .map((name) => cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1))
    .find((token) => token !== undefined && /^[\w-]{43}$/.test(token));
}

/** Whether the browser reached the service over TLS, directly or through a proxy. */
function isOverTls({ headers }: Pick<FastifyRequest, 'headers'>, { links }: Pick<RouteDependencies, 'links'>): boolean {
  const forwarded = [headers['x-forwarded-proto']].flat().at(-1)?.split(',').at(-1)?.trim();
  return links.origin().startsWith('https:') || forwarded === 'https';
}

/** Gives the browser the token of its session. Scripts cannot read it, and other sites' forms do not send it. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Pick<RouteDependencies, 'links' | 'now'>,
  { token, session }: { readonly token: string; readonly session: Pick<Session, 'expiresAt'> },
): void {
  const seconds = Math.max(0, Math.floor(session.expiresAt - unixSeconds(dependencies.now())));
  reply.header('set-cookie', toCookie(token, seconds, isOverTls(request, dependencies)));
}

export function clearSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Pick<RouteDependencies, 'links'>,
): void {
  reply.header('set-cookie', toCookie('', 0, isOverTls(request, dependencies)));
}

function toCookie(token: string, seconds: number, secure: boolean): string {
  const name = secure ? secureName : plainName;
  // Lax, because the first request to a page often comes from a link on another site, such as a step's summary.
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`, ...(secure ? ['Secure'] : [])];
  return [`${name}=${token}`, ...attributes].join('; ');
}
