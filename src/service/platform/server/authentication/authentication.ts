import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AuthenticationMethod, Endpoint } from '../../../../contract/endpoint.ts';
import { commonErrors, type ErrorResponse } from '../../../../contract/errors.ts';
import type { Proven } from '../../../../contract/proven.ts';
import { parseReplayHeaders, type ReplayedEvidence } from '../../../../contract/replayed-evidence.ts';
import { unixSeconds } from '../../../../runtime/clock.ts';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import {
  type AccessTarget,
  type Caller,
  explainRefusal,
  type Grant,
  hasPermission,
  limitToEarlierRun,
  mayAccess,
  type Permission,
} from '../../../account/access.ts';
import { findKeyHolder, type KeyHolder } from '../../../account/access-use-cases.ts';
import type { StoredKey } from '../../../account/account.ts';
import { type ApiKey, parseApiKey, secretMatches } from '../../../account/api-key.ts';
import { expiryWarningPeriod, renderExpiry } from '../../../account/key-lifetime.ts';
import { findSessionHolder } from '../../../session/session-use-cases.ts';
import { ApiError, type ApiErrorDetails } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import {
  type FailedAuthentication,
  type FailedAuthentications,
  forwardedFor,
  type RequestOrigin,
} from './failed-authentications.ts';
import { listNamedRecords, type NamedRecord, type ResolvedNames, resolveNames, toTarget } from './named-records.ts';

/** The parts of a request that authentication uses. Its body has not been read. */
export interface AuthenticationAttempt {
  readonly authorization: string | undefined;
  /** The token of a browser's session, which counts only without an Authorization header. */
  readonly session?: string | undefined;
  readonly methods: readonly AuthenticationMethod[];
  /** The `{org}` of the path; undefined if the path has none. */
  readonly org: string | undefined;
  /** The flows and environments that the path and the query name. */
  readonly named: readonly NamedRecord[];
  /** Whether the request changes what it names, which must then not be archived. */
  readonly changes?: boolean;
  readonly errors: Endpoint['errors'];
  /** Set if the request delivers evidence of an earlier run. */
  readonly replayed: ReplayedEvidence | undefined;
  /** Only for failures, because most requests do not fail. */
  readonly origin: () => RequestOrigin;
  /** Called with the key, if it is valid. */
  readonly identified?: ((key: StoredKey) => void) | undefined;
  /** Called if the key is valid and expires soon, with the time (Unix seconds). */
  readonly expiresSoon?: ((at: number) => void) | undefined;
}

/**
 * Returns the authenticated caller.
 *
 * @throws ApiError if the request is not authenticated or not allowed, before its body is read.
 */
export type Authenticator<Who> = (attempt: AuthenticationAttempt) => Promise<Who>;

/**
 * Authenticates a request, before its body is read.
 *
 * @throws ApiError
 */
export function authenticate<Who>(
  request: Pick<FastifyRequest, 'headers' | 'params' | 'method' | 'url'> & {
    readonly query?: unknown;
    readonly ip: string | undefined;
  },
  { authentication, errors }: Pick<Endpoint, 'authentication' | 'errors'>,
  authenticator: Authenticator<Who>,
  more: Pick<AuthenticationAttempt, 'session' | 'changes' | 'identified' | 'expiresSoon'> = {},
): Promise<Who> {
  // Now, because a socket that the client has closed has no address.
  const { ip = 'an unknown address' } = request;
  return authenticator({
    authorization: request.headers.authorization,
    ...more,
    methods: authentication,
    org: requestOrganization(request),
    named: listNamedRecords(request),
    errors,
    replayed: parseReplayHeaders(request.headers),
    origin: () => toOrigin(request, ip),
  });
}

/** Where a request comes from, and where it goes. */
export function toOrigin(
  { headers, method, url }: Pick<FastifyRequest, 'headers' | 'method' | 'url'>,
  address: string,
): RequestOrigin {
  return { address, forwardedFor: forwardedFor(headers['x-forwarded-for']), method, path: url.split('?', 1)[0] ?? '' };
}

export function requestOrganization({ params }: Pick<FastifyRequest, 'params'>): string | undefined {
  return textAt(params, 'org');
}

/** The endpoint's own error for a key without the permission, or the common one. */
function findForbidden(errors: Endpoint['errors']): ErrorResponse {
  return errors.find(({ status }) => status === commonErrors.forbidden.status) ?? commonErrors.forbidden;
}

type KeyDependencies = Pick<RouteDependencies, 'storage' | 'now' | 'failures' | 'keyUses'>;

/**
 * Requires an API key for the organization of the path, with the permission for the flow and the environment of the
 * path. If the path has neither, the request is about the whole organization.
 *
 * @param scope `named later` if the query or the body names the flows or environments; the handler must then call
 *   `requireAccess`
 */
export function requireRole(
  dependencies: KeyDependencies,
  permission: Permission,
  scope: 'path' | 'named later' = 'path',
): Authenticator<Caller> {
  return async (attempt) => {
    const { org, named, changes = false, replayed } = attempt;
    const { key, grants: own } = await authenticateKey(dependencies, attempt);
    const grants = replayed === undefined ? own : own.map((grant) => limitToEarlierRun(grant, replayed));
    if (org === undefined) throw toForbiddenError(attempt, [], permission);
    const { ownerKind, owner, isLimitedToOrg, login } = key;
    const proven = markReplay(login?.proven, replayed !== undefined);
    const caller: Caller = { org, ownerKind, owner, grants, isLimitedToOrg, proven };
    // A caller without access must not learn former names.
    const isNamed = grants.length > 0 && named.length > 0;
    const current: ResolvedNames = isNamed ? await resolveNames(dependencies, org, named, changes) : { named };
    const target = toTarget(current.named);
    const isAllowed = scope === 'path' ? mayAccess(caller, org, permission, target) : hasPermission(grants, permission);
    if (!isAllowed) throw toForbiddenError(attempt, grants, permission);
    if (current.fault !== undefined) throw current.fault;
    return caller;
  };
}

/** Adds to what the login proved that the request delivers evidence of an earlier run. */
function markReplay(proven: Proven | undefined, isReplay: boolean): Proven | undefined {
  return proven === undefined || !isReplay ? proven : { ...proven, is_replay: true };
}

/** @throws ApiError with the endpoint's error */
export function requireAccess(
  caller: Caller,
  permission: Permission,
  target: AccessTarget,
  endpoint: Pick<Endpoint, 'errors'>,
): void {
  if (!mayAccess(caller, caller.org, permission, target)) throw forbiddenError(caller, permission, endpoint);
}

/** The endpoint's error for a caller without the permission. */
export function forbiddenError(
  { org, grants }: Caller,
  permission: Permission,
  { errors }: Pick<Endpoint, 'errors'>,
): ApiError {
  return toForbiddenError({ errors, org }, grants, permission);
}

/** Requires any valid API key, for requests about its owner and not about an organization. */
export function requireApiKey(dependencies: KeyDependencies): Authenticator<StoredKey> {
  return async (attempt) => (await authenticateKey(dependencies, attempt)).key;
}

function toForbiddenError(
  { errors, org = '' }: Pick<AuthenticationAttempt, 'errors' | 'org'>,
  grants: readonly Grant[],
  permission: Permission,
): ApiError {
  const reason = explainRefusal(grants, permission);
  return new ApiError(findForbidden(errors), {
    values: { org },
    errors: reason === undefined ? [] : [['authorization', reason]],
  });
}

/** Returns the key that was sent, or that the session stands for, if it is valid now. */
async function authenticateKey(dependencies: KeyDependencies, attempt: AuthenticationAttempt): Promise<KeyHolder> {
  const { now, failures, keyUses } = dependencies;
  const { authorization, session, methods, origin } = attempt;
  const holder =
    authorization === undefined && session !== undefined
      ? await findSessionKey(dependencies, attempt, session)
      : await checkSecret(dependencies, attempt);
  const stored = holder.key;
  const fault = findFault(stored, unixSeconds(now()));
  if (fault !== undefined) {
    // The client knows the secret, so this is not a guess, and the error can say what is wrong.
    failures.report({ key: describeKey(stored), org: stored.org, reason: fault.reason, origin: origin() });
    throw new EndedKeyError(methods, fault.rule);
  }
  keyUses.note(stored);
  attempt.identified?.(stored);
  // Keys of logins always expire soon, and are renewed.
  const { ownerKind, expiresAt } = stored;
  if (ownerKind !== 'workflow' && expiresAt <= unixSeconds(now()) + expiryWarningPeriod)
    attempt.expiresSoon?.(expiresAt);
  return holder;
}

/**
 * Returns the key of a session. An unknown session is not counted as a guess, because browsers send the cookies of
 * sessions that have ended.
 */
async function findSessionKey(
  dependencies: KeyDependencies,
  { methods, org }: AuthenticationAttempt,
  token: string,
): Promise<KeyHolder> {
  const holder = await findSessionHolder(dependencies, { token, org });
  if (holder === undefined) throw unauthenticatedError(methods, 'is missing, and the session has ended; sign in again');
  return holder;
}

/** Returns the key that was sent, if its secret is correct. */
async function checkSecret({ storage, failures }: KeyDependencies, attempt: AuthenticationAttempt): Promise<KeyHolder> {
  const { methods, org, origin } = attempt;
  const key = parseApiKey(readCredential(attempt));
  const holder =
    key === undefined ? undefined : await storage.read((records) => findKeyHolder(records, { id: key.id, org }));
  const stored = holder?.key;
  if (key !== undefined && holder !== undefined && secretMatches(key.secret, holder.key.secretHash)) return holder;
  const failure = { ...describeFailedKey(key, stored), org: stored?.org ?? org, origin: origin() };
  throw countGuess(failures, failure, unauthenticatedError(methods, 'is not an API key of this service'));
}

const describeKey = ({ id }: StoredKey): string => `key ${id}`;

function describeFailedKey(
  key: ApiKey | undefined,
  stored: StoredKey | undefined,
): Pick<FailedAuthentication, 'key' | 'unknownId' | 'reason'> {
  if (key === undefined) return { reason: 'does not have the form of a key' };
  if (stored === undefined) return { unknownId: key.id, reason: 'was sent' };
  return { key: describeKey(stored), reason: 'was sent with a wrong secret' };
}

/** Why a key is no longer valid: for the log, and for the client. */
function findFault(key: StoredKey, now: number): { reason: string; rule: string } | undefined {
  const { revokedAt, expiresAt } = key;
  if (revokedAt !== undefined) {
    const rule = `is an API key that was revoked on ${renderExpiry(revokedAt)}; ${describeRenewal(key)}`;
    return { reason: 'was sent and is revoked', rule };
  }
  if (expiresAt <= now) {
    const rule = `is an API key that expired on ${renderExpiry(expiresAt)}; ${describeRenewal(key)}`;
    return { reason: 'was sent and has expired', rule };
  }
  return undefined;
}

/** How the owner of a key gets another one. */
function describeRenewal({ org, ownerKind }: StoredKey): string {
  return ownerKind === 'workflow'
    ? 'log in again with a new identity token'
    : `use a new one: an admin of ${org} can create it, and if no admin has a valid key, the operator of the service ` +
        `can, with: npm run service -- create-key --org ${org}`;
}

/** Requires the administration key that the service was started with. */
export function requireAdminKey(adminKey: string, failures: FailedAuthentications): Authenticator<'administrator'> {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(adminKey);
  return (attempt) => {
    const { methods, origin } = attempt;
    // Digests have the same length, so that the comparison does not reveal the key's length.
    if (!timingSafeEqual(digest(readCredential(attempt)), expected)) {
      const failure = { key: 'the administration key', reason: 'was tried with another key', origin: origin() };
      throw countGuess(
        failures,
        failure,
        unauthenticatedError(methods, 'is not the administration key of this service'),
      );
    }
    return Promise.resolve('administrator');
  };
}

/** Counts a wrong key. Returns the given error, or 429 after too many wrong keys. */
export function countGuess(failures: FailedAuthentications, failure: FailedAuthentication, error: ApiError): ApiError {
  const retryAfter = failures.count({ ...failure, status: error.status });
  if (retryAfter === undefined) return error;
  return new ApiError(httpErrors.tooManyFailures, {
    errors: [['authorization', 'was wrong too often; check the API key']],
    headers: { 'retry-after': String(retryAfter) },
  });
}

/** The key in the Authorization header, which must use one of the accepted schemes. */
export function readCredential({ authorization, methods }: AuthenticationAttempt): string {
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

/** The error of a request without a valid credential. */
export function unauthenticatedError(...reason: Parameters<typeof toChallenge>): ApiError {
  return new ApiError(commonErrors.unauthenticated, toChallenge(...reason));
}

/** The key was correct, but has expired or was revoked. */
export class EndedKeyError extends ApiError {
  /** What is wrong, as a predicate. */
  readonly rule: string;

  constructor(methods: readonly AuthenticationMethod[], rule: string) {
    super(commonErrors.unauthenticated, toChallenge(methods, rule));
    this.rule = rule;
  }
}

function toChallenge(methods: readonly AuthenticationMethod[], rule: string, field = 'authorization'): ApiErrorDetails {
  const challenges = { bearer: 'Bearer realm="compliance"', basic: 'Basic realm="compliance", charset="UTF-8"' };
  return {
    errors: [[field, rule]],
    headers: { 'www-authenticate': methods.map((method) => challenges[method]).join(', ') },
  };
}
