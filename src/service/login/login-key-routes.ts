import { apiKeyNotFound } from '../../contract/api-key.ts';
import { listLoginKeys, revokeLoginKey, type LoginKeyDetails } from '../../contract/login-key.ts';
import { defaultPageSize } from '../../contract/paging.ts';
import * as loginKeys from './login-key-use-cases.ts';
import { actorName } from '../account/access.ts';
import type { StoredKey } from '../account/account.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { toPagination } from '../platform/server/pagination.ts';

/** Adds the endpoints with which admins see and revoke the keys of workflow runs. */
export function addLoginKeyRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, listLoginKeys, administer, async ({ parameters: { org }, query }) => {
    const { page = 1, per_page: perPage = defaultPageSize } = query;
    const part = { offset: (page - 1) * perPage, limit: perPage };
    const { keys, total } = await loginKeys.listLoginKeys(dependencies, { org, part });
    return { status: 200, body: { data: keys.flatMap(toDetails), pagination: toPagination(page, perPage, total) } };
  });

  addRoute(host, revokeLoginKey, administer, ({ caller, parameters: { org, key_id: id }, carryOut }) =>
    carryOut(
      (result: loginKeys.RevokeLoginKeyResult) => {
        if (result === 'key not found') throw new ApiError(apiKeyNotFound);
        return { status: 200, body: result };
      },
      (request) => loginKeys.revokeLoginKey(dependencies, { org, id, by: actorName(caller) }, request),
    ),
  );
}

function toDetails({ id, createdAt, expiresAt, login }: StoredKey): readonly LoginKeyDetails[] {
  if (login === undefined) return [];
  const { grants, proven } = login;
  const times = { created_at: createdAt, expires_at: expiresAt };
  return [{ id, ...times, rules: grants.map(({ rule }) => rule), proven: { ...proven } }];
}
