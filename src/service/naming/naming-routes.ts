import { archiveEnvironment, archiveFlow, archivePolicy } from '../../contract/archive.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { namedEnvironmentNotFound, namedFlowNotFound } from '../../contract/errors.ts';
import { policyMissing } from '../../contract/policy.ts';
import { renameEnvironment, renameFlow } from '../../contract/rename.ts';
import { actorName, type Caller } from '../account/access.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { Rename } from './rename-records.ts';
import * as naming from './naming-use-cases.ts';

/** Adds the endpoints that archive flows, environments and policies. */
export function addNamingRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const mayDefine = requireRole(dependencies, 'define');
  const archive = (caller: Caller, reference: naming.NamedReference) =>
    [
      (result: naming.ArchiveResult) => {
        if (result.outcome === 'not found') throw toNotFound(reference);
        if (result.outcome === 'attached') {
          throw validationError(['path.policy_name', `is attached to ${result.environment}; detach it first`]);
        }
        return { status: 200, body: 'OK' } as const;
      },
      (request: Parameters<typeof naming.archive>[3]) =>
        naming.archive(dependencies, reference, actorName(caller), request),
    ] as const;

  addRoute(host, archiveFlow, mayDefine, ({ caller, parameters: { org, flow_name: name }, carryOut }) =>
    carryOut(...archive(caller, { org, kind: 'flow', name })),
  );
  addRoute(host, archiveEnvironment, mayDefine, ({ caller, parameters: { org, env_name: name }, carryOut }) =>
    carryOut(...archive(caller, { org, kind: 'environment', name })),
  );
  addRoute(host, archivePolicy, mayDefine, ({ caller, parameters: { org, policy_name: name }, carryOut }) =>
    carryOut(...archive(caller, { org, kind: 'policy', name })),
  );
}

/** Adds the endpoints that rename flows and environments. Login rules change, too, so limited keys may not. */
export function addRenameRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const mayDefine = requireRole(dependencies, 'define');
  const rename = (caller: Caller, renaming: Rename, endpoint: Endpoint) => {
    requireAccess(caller, 'define', {}, endpoint);
    const toAnswer = (result: naming.RenameResult) => {
      requireRenamed(renaming, result);
      return { status: 200, body: 'OK' } as const;
    };
    const carryOut = (request: Parameters<typeof naming.rename>[3]) =>
      naming.rename(dependencies, renaming, actorName(caller), request);
    return [toAnswer, carryOut] as const;
  };

  addRoute(host, renameFlow, mayDefine, ({ caller, parameters, document: { new_name: to }, carryOut }) => {
    const { org, flow_name: from } = parameters;
    return carryOut(...rename(caller, { org, kind: 'flow', from, to }, renameFlow));
  });
  addRoute(host, renameEnvironment, mayDefine, ({ caller, parameters, document: { new_name: to }, carryOut }) => {
    const { org, env_name: from } = parameters;
    return carryOut(...rename(caller, { org, kind: 'environment', from, to }, renameEnvironment));
  });
}

/** @throws ApiError if it was not renamed. */
function requireRenamed({ org, kind, from, to }: Rename, result: naming.RenameResult): void {
  switch (result.outcome) {
    case 'renamed':
      return;
    case 'not found':
      throw toNotFound({ org, kind, name: from });
    case 'name is taken':
      throw validationError(['new_name', `must not be ${to}, which another ${kind} has`]);
    case 'named by a rule':
      throw validationError([
        'new_name',
        `must not be ${to}, which the login rule ${result.rule} names; change it first`,
      ]);
    case 'too many records': {
      const parameter = kind === 'flow' ? 'flow_name' : 'env_name';
      throw validationError([
        `path.${parameter}`,
        `must have fewer than ${naming.maximumRenamed} records to be renamed`,
      ]);
    }
  }
}

function toNotFound({ org, kind, name }: naming.NamedReference): ApiError {
  const errors = { flow: namedFlowNotFound, environment: namedEnvironmentNotFound, policy: policyMissing };
  return new ApiError(errors[kind], { values: { org, [kind]: name } });
}
