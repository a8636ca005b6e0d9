import { archiveEnvironment, archiveFlow, archivePolicy } from '../../contract/archive.ts';
import { actorName, type Caller } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { namedRecordMissing, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { archive, type ArchiveResult } from './archive-use-cases.ts';
import type { NamedReference } from './naming-records.ts';

export function addArchiveRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const mayDefine = requireRole(dependencies, 'define');
  const archiveBy = (caller: Caller, reference: NamedReference) =>
    [
      archive,
      dependencies,
      { ...reference, by: actorName(caller) },
      (result: ArchiveResult) => {
        if (result.outcome === 'not found') throw namedRecordMissing(reference);
        if (result.outcome === 'attached') {
          throw validationError(['path.policy_name', `is attached to ${result.environment}; detach it first`]);
        }
        return { status: 200, body: 'OK' } as const;
      },
    ] as const;

  addRoute(host, archiveFlow, mayDefine, ({ caller, parameters: { org, flow_name: name }, carryOut }) =>
    carryOut(...archiveBy(caller, { org, kind: 'flow', name })),
  );
  addRoute(host, archiveEnvironment, mayDefine, ({ caller, parameters: { org, env_name: name }, carryOut }) =>
    carryOut(...archiveBy(caller, { org, kind: 'environment', name })),
  );
  addRoute(host, archivePolicy, mayDefine, ({ caller, parameters: { org, policy_name: name }, carryOut }) =>
    carryOut(...archiveBy(caller, { org, kind: 'policy', name })),
  );
}
