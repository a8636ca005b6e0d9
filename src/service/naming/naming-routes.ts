import { archiveEnvironment, archiveFlow, archivePolicy } from '../../contract/archive.ts';
import { namedEnvironmentNotFound, namedFlowNotFound } from '../../contract/errors.ts';
import { policyMissing } from '../../contract/policy.ts';
import { actorName, type Caller } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
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

function toNotFound({ org, kind, name }: naming.NamedReference): ApiError {
  const errors = { flow: namedFlowNotFound, environment: namedEnvironmentNotFound, policy: policyMissing };
  return new ApiError(errors[kind], { values: { org, [kind]: name } });
}
