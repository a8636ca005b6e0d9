import {
  alreadyExpired,
  apiKeyNotFound,
  type ApiKeyResponse,
  type CreatedApiKeyResponse,
  createMemberKey,
  createServiceAccountKey,
  defaultGraceHours,
  getServiceAccountKey,
  listMemberKeys,
  listServiceAccountKeys,
  maximumKeyDays,
  revokeMemberKey,
  revokeServiceAccountKey,
  rotateServiceAccountKey,
} from '../../contract/api-key.ts';
import type { Endpoint, EndpointParameters } from '../../contract/endpoint.ts';
import { lastAdmin, memberNotFound } from '../../contract/member.ts';
import { serviceAccountNotFound } from '../../contract/service-account.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { LastAdminResult } from '../organization/administrator-use-cases.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type EndpointHandler, type EndpointRequest, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { actorName, type Caller } from './access.ts';
import type { KeyWithUse } from './account-records.ts';
import * as keys from './api-key-use-cases.ts';
import { renderExpiry, toLatestExpiry } from './key-lifetime.ts';

export function addApiKeyRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');
  const { storage } = dependencies;

  const create = (
    owner: keys.KeyOwner,
    isLimitedToOrg: boolean,
    { caller, document: { description, expires_at }, carryOut }: KeyRequest<typeof createMemberKey>,
  ): KeyResponse<typeof createMemberKey> => {
    const expiresAt = readExpiry(expires_at, dependencies);
    const command = { ...owner, description, expiresAt, isLimitedToOrg, by: actorName(caller) };
    return carryOut(keys.createKey, dependencies, command, (created, isRemembered) => {
      if (created.outcome === 'owner not found') throw ownerNotFound(owner);
      return { status: 201, body: toCreatedResponse(created, isRemembered) };
    });
  };
  const list = async (owner: keys.KeyOwner): KeyResponse<typeof listMemberKeys> => {
    const listed = await storage.read(({ accounts }) => keys.listKeys(accounts, owner));
    if (listed === undefined) throw ownerNotFound(owner);
    return { status: 200, body: listed.map(toKeyResponse) };
  };
  const revoke = (
    owner: keys.KeyOwner,
    { caller, parameters: { key_id: id }, carryOut }: KeyRequest<typeof revokeMemberKey>,
  ): KeyResponse<typeof revokeMemberKey> =>
    carryOut(keys.revokeKey, dependencies, { ...owner, id, by: actorName(caller) }, (outcome) => {
      if (outcome !== 'revoked') throw toKeyError(owner, outcome);
      return { status: 200, body: outcome };
    });

  addRoute(host, createMemberKey, administer, (request) => {
    const owner = toMember(request.parameters);
    return create(owner, !opensOthers(request.caller, owner), request);
  });
  addRoute(host, listMemberKeys, administer, ({ parameters }) => list(toMember(parameters)));
  addRoute(host, revokeMemberKey, administer, (request) => revoke(toMember(request.parameters), request));

  addRoute(host, createServiceAccountKey, administer, (request) =>
    create(toAccount(request.parameters), false, request),
  );
  addRoute(host, listServiceAccountKeys, administer, ({ parameters }) => list(toAccount(parameters)));
  addRoute(host, revokeServiceAccountKey, administer, (request) => revoke(toAccount(request.parameters), request));

  addRoute(host, getServiceAccountKey, administer, async ({ parameters }) => {
    const owner = toAccount(parameters);
    const found = await storage.read(({ accounts }) => keys.findKey(accounts, { ...owner, id: parameters.key_id }));
    if (typeof found === 'string') throw toKeyError(owner, found);
    return { status: 200, body: toKeyResponse(found) };
  });

  addRoute(host, rotateServiceAccountKey, administer, ({ caller, parameters, document, carryOut }) => {
    const owner = toAccount(parameters);
    const { grace_period_hours: grace = defaultGraceHours, expires_at } = document;
    const expiresAt = readExpiry(expires_at, dependencies);
    const command = { ...owner, id: parameters.key_id, grace: grace * 3600, expiresAt, by: actorName(caller) };
    return carryOut(keys.rotateKey, dependencies, command, (rotated, isRemembered) => {
      if (rotated.outcome !== 'created') throw toKeyError(owner, rotated.outcome);
      const body = toCreatedResponse(rotated, isRemembered);
      return { status: 201, body: { ...body, grace_period_expires_at: rotated.graceEndsAt } };
    });
  });
}

/** The parts of a request that handlers for both kinds of owners use. */
type KeyRequest<E extends Endpoint> = Pick<EndpointRequest<E, Caller>, 'caller' | 'document' | 'carryOut'> & {
  readonly parameters: Pick<EndpointParameters<E>, 'key_id' & keyof EndpointParameters<E>>;
};
type KeyResponse<E extends Endpoint> = ReturnType<EndpointHandler<E, Caller>>;

/**
 * Whether the new key opens the other organizations of its owner, too. Only if the owner asks for it with such a key:
 * an admin must not get access to the other organizations of a member.
 */
function opensOthers({ ownerKind, owner, isLimitedToOrg }: Caller, target: keys.KeyOwner): boolean {
  return ownerKind === 'user' && owner === target.owner && !isLimitedToOrg;
}

function toAccount({ org, name }: { readonly org: string; readonly name: string }): keys.KeyOwner {
  return { org, ownerKind: 'service account', owner: name };
}

function toMember({ org, user }: { readonly org: string; readonly user: string }): keys.KeyOwner {
  return { org, ownerKind: 'user', owner: user };
}

/**
 * Reads a requested expiry time; undefined for the default lifetime.
 *
 * @throws ApiError if the time is over, or further away than any key may live.
 */
function readExpiry(expiresAt: number | undefined, { now }: Pick<RouteDependencies, 'now'>): number | undefined {
  if (expiresAt === undefined || expiresAt === 0) return undefined;
  const time = unixSeconds(now());
  if (expiresAt <= time) throw validationError(['expires_at', alreadyExpired]);
  const latest = toLatestExpiry(time);
  if (expiresAt > latest) {
    const rule = `must be at most ${latest} (${renderExpiry(latest)}): a key lives ${maximumKeyDays} days at most`;
    throw validationError(['expires_at', rule]);
  }
  return expiresAt;
}

function ownerNotFound({ org, ownerKind, owner }: keys.KeyOwner): ApiError {
  return ownerKind === 'user'
    ? new ApiError(memberNotFound, { values: { org, user: owner } })
    : new ApiError(serviceAccountNotFound);
}

function toKeyError(owner: keys.KeyOwner, outcome: keys.KeyMissing | LastAdminResult): ApiError {
  switch (outcome) {
    case 'owner not found':
      return ownerNotFound(owner);
    case 'key not found':
      return new ApiError(apiKeyNotFound);
    case 'last admin':
      return new ApiError(lastAdmin, { values: { org: owner.org } });
  }
}

/**
 * The response to creating a key: the only time that the key is shown.
 *
 * @param isRemembered whether the response is stored, for repeated requests; it does not contain the key then
 */
export function toCreatedResponse(
  { key, stored }: Pick<keys.CreatedKey, 'key' | 'stored'>,
  isRemembered: boolean,
): CreatedApiKeyResponse {
  const { id, description, createdAt, expiresAt } = stored;
  return { id, key: isRemembered ? '' : key, description, created_at: createdAt, expires_at: expiresAt };
}

function toKeyResponse({ id, description, createdAt, expiresAt, lastUsedAt = 0 }: KeyWithUse): ApiKeyResponse {
  return { id, description, created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt };
}
