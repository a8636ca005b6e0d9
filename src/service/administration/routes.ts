import { formatApiKey, hashSecret, newApiKey } from '../domain/api-key.ts';
import { unixSeconds } from '../domain/sources.ts';
import { administrator } from '../routes/authorization.ts';
import { Refusal } from '../routes/refusal.ts';
import { addRoute, type RouteHost } from '../routes/route.ts';
import type { Services } from '../routes/services.ts';
import { administrationErrors, createKey, createOrganization, revokeKey } from './endpoints.ts';

/** Opens the separate way in to whoever holds the administration key. */
export function addAdministrationRoutes(host: RouteHost, services: Services, adminKey: string): void {
  const { store, now, randomBytes } = services;
  const guard = administrator(adminKey);

  addRoute(host, createOrganization, guard, async ({ document: { name } }) => {
    const outcome = await store.createOrganization(name, unixSeconds(now()));
    if (outcome === 'exists') throw new Refusal(administrationErrors.organizationExists, { values: { org: name } });
    return { status: 201, body: { name } };
  });

  addRoute(host, createKey, guard, async ({ parameters: { org }, document: { owner, role } }) => {
    const key = newApiKey(randomBytes);
    const createdAt = unixSeconds(now());
    const stored = { org, id: key.id, owner, role, secretHash: hashSecret(key.secret), createdAt };
    const outcome = await store.addKey(stored);
    if (outcome === 'organization not found') {
      throw new Refusal(administrationErrors.organizationNotFound, { values: { org } });
    }
    if (outcome === 'exists') throw new Error(`two new keys got the id ${key.id}`);
    return { status: 201, body: { id: key.id, key: formatApiKey(key), owner, role, created_at: createdAt } };
  });

  addRoute(host, revokeKey, guard, async ({ parameters: { org, key_id: id } }) => {
    const outcome = await store.revokeKey(org, id, unixSeconds(now()));
    if (outcome === 'not found') throw new Refusal(administrationErrors.keyNotFound, { values: { org, key_id: id } });
    return { status: 200, body: 'OK' };
  });
}
