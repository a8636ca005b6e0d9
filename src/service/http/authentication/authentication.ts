import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AuthenticationMethod, Endpoint, ErrorAnswer } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { findKeyHolder, type KeyHolder } from '../../application/access.ts';
import { mayAccess, type Caller, type Permission } from '../../domain/access.ts';
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
import type { RouteDependencies } from '../route-dependencies.ts';

/** What is known of a request before its body is read. */
export interface AuthenticationAttempt {
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
export type Authenticator<Who> = (attempt: AuthenticationAttempt) => Promise<Who>;

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
type KeyDependencies = Pick<RouteDependencies, 'storage' | 'now' | 'failures'>;

/** Lets the holder of an API key in if the key opens the organization and its owner's role there allows this. */
export function requireRole(dependencies: KeyDependencies, permission: Permission): Authenticator<Caller> {
  return async (attempt) => {
    const { key, role } = await authenticateKey(dependencies, attempt);
    const { org } = attempt;
    if (org === undefined || role === undefined) throw forbiddenError(attempt);
    const caller: Caller = { org, ownerKind: key.ownerKind, owner: key.owner, role };
    if (!mayAccess(caller, org, permission)) throw forbiddenError(attempt);
    return caller;
  };
}

/** Lets the holder of any API key in: the request is about the holder and not about an organization. */
export function requireApiKey(dependencies: KeyDependencies): Authenticator<StoredKey> {
  return async (attempt) => (await authenticateKey(dependencies, attempt)).key;
}

function forbiddenError({ forbidden, org = '' }: AuthenticationAttempt): ApiError {
  return new ApiError(forbidden, { values: { org } });
}

/** The key that was sent, once it has proven itself. */
async function authenticateKey(
  { storage, now, failures }: KeyDependencies,
  attempt: AuthenticationAttempt,
): Promise<KeyHolder> {
  const { methods, org, origin } = attempt;
  const key = parseApiKey(readCredential(attempt));
  const holder = key === undefined ? undefined : await findKeyHolder({ storage }, { id: key.id, org });
  const stored = holder?.key;
  if (
    key === undefined ||
    holder === undefined ||
    stored === undefined ||
    !secretMatches(key.secret, stored.secretHash)
  ) {
    const failure = { ...failedKey(key, stored), origin };
    throw countGuess(failures, failure, unauthenticatedError(methods, 'is not an API key of this service'));
  }
  const fault = findFault(stored, unixSeconds(now()));
  if (fault !== undefined) {
    // Its holder knows the secret, so this is no guess, and is told at once what to do.
    failures.report({ key: describeKey(stored), reason: fault.reason, origin });
    throw unauthenticatedError(methods, fault.rule);
  }
  return holder;
}

const describeKey = ({ id }: StoredKey): string => `key ${id}`;

function failedKey(
  key: ApiKey | undefined,
  stored: StoredKey | undefined,
): Pick<FailedAuthentication, 'key' | 'unknownId' | 'reason'> {
  if (key === undefined) return { reason: 'does not have the form of a key' };
  if (stored === undefined) return { unknownId: key.id, reason: 'was sent' };
  return { key: describeKey(stored), reason: 'was sent with a wrong secret' };
}

/** Why a key opens nothing any more: for the log and for its holder. */
function findFault({ revokedAt, expiresAt }: StoredKey, now: number): { reason: string; rule: string } | undefined {
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
  return (attempt) => {
    const { methods, origin } = attempt;
    // Digests have one length, so the comparison says nothing about the key's.
    if (!timingSafeEqual(digest(readCredential(attempt)), expected)) {
      const failure = { key: 'the administration key', reason: 'was tried with another key', origin };
      throw countGuess(
        failures,
        failure,
        unauthenticatedError(methods, 'is not the administration key of this service'),
      );
    }
    return Promise.resolve('administrator');
  };
}

/** The answer to a wrong key: usually the refusal, and 429 to those who keep sending wrong ones. */
function countGuess(failures: FailedAuthentications, failure: FailedAuthentication, refusal: ApiError): ApiError {
  const retryAfter = failures.count(failure);
  if (retryAfter === undefined) return refusal;
  return new ApiError(httpErrors.tooManyFailures, {
    errors: [['authorization', 'was wrong too often; check the API key']],
    headers: { 'retry-after': String(retryAfter) },
  });
}

/** The key that the header carries, by one of the methods that are taken here. */
function readCredential({ authorization, methods }: AuthenticationAttempt): string {
  if (authorization === undefined) throw unauthenticatedError(methods, `is missing; send ${describeSchemes(methods)}`);
  const [scheme = '', credential = '', ...rest] = authorization.trim().split(/ +/);
  const method = methods.find((known) => known === scheme.toLowerCase());
  if (method === undefined || credential === '' || rest.length > 0) {
    throw unauthenticatedError(methods, `must be ${describeSchemes(methods)}`);
  }
  if (method === 'bearer') return credential;
  const [key, password] = Buffer.from(credential, 'base64').toString('utf8').split(':', 2);
  if (key === undefined || password === undefined) {
    throw unauthenticatedError(methods, 'must have a colon after the API key in its Basic credentials');
  }
  return key;
}

function describeSchemes(methods: readonly AuthenticationMethod[]): string {
  const ways = { bearer: '`Bearer <API_KEY>`', basic: '`Basic <base64 of API_KEY followed by a colon>`' };
  return methods.map((method) => ways[method]).join(' or ');
}

function unauthenticatedError(methods: readonly AuthenticationMethod[], rule: string): ApiError {
  const challenges = { bearer: 'Bearer realm="compliance"', basic: 'Basic realm="compliance", charset="UTF-8"' };
  return new ApiError(commonErrors.unauthenticated, {
    errors: [['authorization', rule]],
    headers: { 'www-authenticate': methods.map((method) => challenges[method]).join(', ') },
  });
}
