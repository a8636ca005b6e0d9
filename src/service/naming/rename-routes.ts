import type { Endpoint } from '../../contract/endpoint.ts';
import { renameEnvironment, renameFlow } from '../../contract/rename.ts';
import { actorName, type Caller } from '../account/access.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { namedRecordMissing, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { Rename } from './rename-records.ts';
import { maximumRenamed, rename, type RenameResult } from './rename-use-cases.ts';

/**
 * Adds the endpoints that rename flows and environments. They change login rules, too, so a key that is limited to some
 * flows or environments is not enough.
 */
export function addRenameRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const mayDefine = requireRole(dependencies, 'define');
  const renameBy = (caller: Caller, renaming: Rename, endpoint: Endpoint) => {
    requireAccess(caller, 'define', {}, endpoint);
    const toAnswer = (result: RenameResult) => {
      requireRenamed(renaming, result);
      return { status: 200, body: 'OK' } as const;
    };
    return [rename, dependencies, { ...renaming, by: actorName(caller) }, toAnswer] as const;
  };

  addRoute(host, renameFlow, mayDefine, ({ caller, parameters, document: { new_name: to }, carryOut }) => {
    const { org, flow_name: from } = parameters;
    return carryOut(...renameBy(caller, { org, kind: 'flow', from, to }, renameFlow));
  });
  addRoute(host, renameEnvironment, mayDefine, ({ caller, parameters, document: { new_name: to }, carryOut }) => {
    const { org, env_name: from } = parameters;
    return carryOut(...renameBy(caller, { org, kind: 'environment', from, to }, renameEnvironment));
  });
}

/** @throws ApiError if it was not renamed */
function requireRenamed({ org, kind, from, to }: Rename, result: RenameResult): void {
  switch (result.outcome) {
    case 'renamed':
      return;
    case 'not found':
      throw namedRecordMissing({ org, kind, name: from });
    case 'name is taken':
      throw validationError(['new_name', `must not be ${to}, which another ${kind} has`]);
    case 'named by a rule':
      throw validationError([
        'new_name',
        `must not be ${to}, which the login rule ${result.rule} names; change it first`,
      ]);
    case 'too many records': {
      const field = kind === 'flow' ? 'path.flow_name' : 'path.env_name';
      throw validationError([field, `must have fewer than ${maximumRenamed} records to be renamed`]);
    }
  }
}
