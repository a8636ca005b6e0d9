import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AuthenticationMethod, Endpoint, ErrorAnswer } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { mayAccess, mayOpen, type Caller, type Permission } from '../../domain/access.ts';
import type { StoredKey } from '../../domain/accounts.ts';
import { parseApiKey, secretMatches, type ApiKey } from '../../domain/api-key.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import {
  forwardedFor,
  type FailedAuthentication,
  type FailedAuthentications,
  type RequestOrigin,
} from './failed-authentications.ts';
import { ApiError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';
import type { Dependencies } from '../dependencies.ts';

/** What is known of a request before its body is read. */
export interface Approach {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  readonly methods: readonly AuthenticationMethod[];
  /** The `{org}` of the path; undefined where the path has none. */
  readonly org: string | undefined;
  /** The endpoint's answer to a key that may not do this. */
  readonly forbidden: ErrorAnswer;
  readonly origin: RequestOrigin;
}

/**
 * Decides who may come in. Throws an ApiError to all others, before anything of the request's body is read.
 */
export type Authenticator<Who> = (approach: Approach) => Promise<Who>;

/**
 * Asks the guard about a request, before anything of its body is read.
 *
 * @throws ApiError
 */
export function authenticate<Who>(
  request: FastifyRequest,
  { authentication, errors }: Pick<Endpoint, 'authentication' | 'errors'>,
  authenticator: Authenticator<Who>,
): Promise<Who> {
  return authenticator({
    authorization: request.headers.authorization,
    methods: authentication,
    org: requestOrganization(request),
    forbidden: errors.find(({ status }) => status === commonErrors.forbidden.status) ?? commonErrors.forbidden,
    origin: {
      address: request.socket.remoteAddress ?? 'an unknown address',
      forwardedFor: forwardedFor(request.headers['x-forwarded-for']),
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '',
    },
  });
}

/** The organization that the path names. */
export function requestOrganization({ params }: Pick<FastifyRequest, 'params'>): string | undefined {
  const org = typeof params === 'object' && params !== null && 'org' in params ? params.org : undefined;
  return typeof org === 'string' ? org : undefined;
}

/** What keys are checked with. */
type KeyRing = Pick<Dependencies, 'store' | 'now' | 'failures'>;

/** Lets the holder of an API key in if the key opens the organization and its owner's role there allows this. */
export function requireRole(ring: KeyRing, permission: Permission): Authenticator<Caller> {
  return async (approach) => {
    const key = await proveKey(ring, approach);
    const { org } = approach;
    if (org === undefined || !mayOpen(key, org)) throw forbid(approach);
    const { ownerKind, owner } = key;
    const role = await ring.store.findRole(org, ownerKind, owner);
    if (role === undefined) throw forbid(approach);
    const caller: Caller = { org, ownerKind, owner, role };
    if (!mayAccess(caller, org, permission)) throw forbid(approach);
    return caller;
  };
}

/** Lets the holder of any API key in: the request is about the holder and not about an organization. */
export function requireApiKey(ring: KeyRing): Authenticator<StoredKey> {
  return (approach) => proveKey(ring, approach);
}

function forbid({ forbidden, org = '' }: Approach): ApiError {
  return new ApiError(forbidden, { values: { org } });
}

/** The key that was sent, once it has proven itself. */
async function proveKey({ store, now, failures }: KeyRing, approach: Approach): Promise<StoredKey> {
  const { methods, origin } = approach;
  const key = parseApiKey(credentialOf(approach));
  const stored = key === undefined ? undefined : await store.findKey(key.id);
  if (key === undefined || stored === undefined || !secretMatches(key.secret, stored.secretHash)) {
    const failure = { ...failedKey(key, stored), origin };
    throw refuseGuess(failures, failure, unauthenticated(methods, 'is not an API key of this service'));
  }
  const fault = faultOf(stored, unixSeconds(now()));
  if (fault !== undefined) {
    // Its holder knows the secret, so this is no guess, and is told at once what to do.
    failures.report({ key: nameOf(stored), reason: fault.reason, origin });
    throw unauthenticated(methods, fault.rule);
  }
  return stored;
}

const nameOf = ({ id }: StoredKey): string => `key ${id}`;

function failedKey(
  key: ApiKey | undefined,
  stored: StoredKey | undefined,
): Pick<FailedAuthentication, 'key' | 'unknownId' | 'reason'> {
  if (key === undefined) return { reason: 'does not have the form of a key' };
  if (stored === undefined) return { unknownId: key.id, reason: 'was sent' };
  return { key: nameOf(stored), reason: 'was sent with a wrong secret' };
}

/** Why a key opens nothing any more: for the log and for its holder. */
function faultOf({ revokedAt, expiresAt }: StoredKey, now: number): { reason: string; rule: string } | undefined {
  if (revokedAt !== undefined) {
    return { reason: 'was sent and is revoked', rule: 'is an API key that was revoked; use a new one' };
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    return { reason: 'was sent and has expired', rule: 'is an API key that has expired; use a new one' };
  }
  return undefined;
}

/** Lets the administrator in: whoever holds the one key that the service was started with. */
export function requireAdminKey(adminKey: string, failures: FailedAuthentications): Authenticator<'administrator'> {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(adminKey);
  return (approach) => {
    const { methods, origin } = approach;
    // Digests have one length, so the comparison says nothing about the key's.
    if (!timingSafeEqual(digest(credentialOf(approach)), expected)) {
      const failure = { key: 'the administration key', reason: 'was tried with another key', origin };
      throw refuseGuess(failures, failure, unauthenticated(methods, 'is not the administration key of this service'));
    }
    return Promise.resolve('administrator');
  };
}

/** The answer to a wrong key: usually the refusal, and 429 to those who keep sending wrong ones. */
function refuseGuess(failures: FailedAuthentications, failure: FailedAuthentication, refusal: ApiError): ApiError {
  const retryAfter = failures.count(failure);
  if (retryAfter === undefined) return refusal;
  return new ApiError(httpErrors.tooManyFailures, {
    errors: [['authorization', 'has been wrong too often; check the API key']],
    headers: { 'retry-after': String(retryAfter) },
  });
}

/** The key that the header carries, by one of the methods that are taken here. */
function credentialOf({ authorization, methods }: Approach): string {
  if (authorization === undefined) throw unauthenticated(methods, `is missing; send ${wayOf(methods)}`);
  const [scheme = '', credential = '', ...rest] = authorization.trim().split(/ +/);
  const method = methods.find((known) => known === scheme.toLowerCase());
  if (method === undefined || credential === '' || rest.length > 0) {
    throw unauthenticated(methods, `must be ${wayOf(methods)}`);
  }
  if (method === 'bearer') return credential;
  const [key, password] = Buffer.from(credential, 'base64').toString('utf8').split(':', 2);
  if (key === undefined || password === undefined) {
    throw unauthenticated(methods, 'must have a colon after the API key in its Basic credentials');
  }
  return key;
}

function wayOf(methods: readonly AuthenticationMethod[]): string {
  const ways = { bearer: '`Bearer <API_KEY>`', basic: '`Basic <base64 of API_KEY followed by a colon>`' };
  return methods.map((method) => ways[method]).join(' or ');
}

function unauthenticated(methods: readonly AuthenticationMethod[], rule: string): ApiError {
  const challenges = { bearer: 'Bearer realm="compliance"', basic: 'Basic realm="compliance", charset="UTF-8"' };
  return new ApiError(commonErrors.unauthenticated, {
    errors: [['authorization', rule]],
    headers: { 'www-authenticate': methods.map((method) => challenges[method]).join(', ') },
  });
}
