import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthenticationMethod, ErrorAnswer } from '../../contract/endpoint.ts';
import { commonErrors } from '../../contract/errors.ts';
import { mayAccess, mayOpen, type Caller, type Permission } from '../domain/access.ts';
import type { StoredKey } from '../domain/accounts.ts';
import { parseApiKey, secretMatches } from '../domain/api-key.ts';
import { unixSeconds } from '../domain/sources.ts';
import { Refusal } from './refusal.ts';
import type { Services } from './services.ts';

/** What is known of a request before its body is read. */
export interface Approach {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  readonly methods: readonly AuthenticationMethod[];
  /** The `{org}` of the path; undefined where the path has none. */
  readonly org: string | undefined;
  /** The endpoint's answer to a key that may not do this. */
  readonly forbidden: ErrorAnswer;
}

/**
 * Decides who may come in. Throws a Refusal to all others, before anything of the request's body is read.
 */
export type Guard<Who> = (approach: Approach) => Promise<Who>;

/** What keys are checked with. */
type KeyRing = Pick<Services, 'store' | 'now'>;

/** Lets the holder of an API key in if the key opens the organization and its owner's role there allows this. */
export function keyHolder({ store, now }: KeyRing, permission: Permission): Guard<Caller> {
  return async (approach) => {
    const key = await proveKey({ store, now }, approach);
    const { org } = approach;
    if (org === undefined || !mayOpen(key, org)) throw forbid(approach);
    const { ownerKind, owner } = key;
    const role = await store.findRole(org, ownerKind, owner);
    if (role === undefined) throw forbid(approach);
    const caller: Caller = { org, ownerKind, owner, role };
    if (!mayAccess(caller, org, permission)) throw forbid(approach);
    return caller;
  };
}

/** Lets the holder of any API key in: the request is about the holder and not about an organization. */
export function anyKeyHolder(ring: KeyRing): Guard<StoredKey> {
  return (approach) => proveKey(ring, approach);
}

function forbid({ forbidden, org = '' }: Approach): Refusal {
  return new Refusal(forbidden, { values: { org } });
}

/** The key that was sent, once it has proven itself. */
async function proveKey({ store, now }: KeyRing, { authorization, methods }: Approach): Promise<StoredKey> {
  const key = parseApiKey(credentialOf(authorization, methods));
  const stored = key === undefined ? undefined : await store.findKey(key.id);
  const known = key !== undefined && stored !== undefined && secretMatches(key.secret, stored.secretHash);
  if (!known || stored.revokedAt !== undefined) throw unauthenticated(methods, 'is not an API key of this service');
  if (stored.expiresAt !== undefined && stored.expiresAt <= unixSeconds(now())) {
    throw unauthenticated(methods, 'is an API key that has expired; use a new one');
  }
  return stored;
}

/** Lets the administrator in: whoever holds the one key that the service was started with. */
export function administrator(adminKey: string): Guard<'administrator'> {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(adminKey);
  return ({ authorization, methods }) => {
    const credential = credentialOf(authorization, methods);
    // Digests have one length, so the comparison says nothing about the key's.
    if (!timingSafeEqual(digest(credential), expected)) {
      throw unauthenticated(methods, 'is not the administration key of this service');
    }
    return Promise.resolve('administrator');
  };
}

/** The key that the header carries, by one of the methods that are taken here. */
function credentialOf(authorization: string | undefined, methods: readonly AuthenticationMethod[]): string {
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

function unauthenticated(methods: readonly AuthenticationMethod[], rule: string): Refusal {
  const challenges = { bearer: 'Bearer realm="compliance"', basic: 'Basic realm="compliance", charset="UTF-8"' };
  return new Refusal(commonErrors.unauthenticated, {
    errors: [['authorization', rule]],
    headers: { 'www-authenticate': methods.map((method) => challenges[method]).join(', ') },
  });
}
