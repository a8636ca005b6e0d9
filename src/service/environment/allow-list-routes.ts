import {
  allowArtifact,
  artifactNotAllowed,
  disallowArtifact,
  listAllowedArtifacts,
} from '../../contract/allow-list.ts';
import { namedEnvironmentNotFound } from '../../contract/errors.ts';
import { maximumAllowedArtifacts } from '../../contract/limits.ts';
import { actorName } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import * as allowList from './allow-list-use-cases.ts';

export function addAllowListRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const notFound = (org: string, environment: string): ApiError =>
    new ApiError(namedEnvironmentNotFound, { values: { org, environment } });

  addRoute(host, allowArtifact, requireRole(dependencies, 'define'), ({ caller, parameters, document, carryOut }) => {
    const { org, env_name: environment } = parameters;
    const { artifact_fingerprint: fingerprint, artifact_name: name, description: reason } = document;
    const artifact = { org, environment, fingerprint, name, reason, by: actorName(caller) };
    return carryOut(allowList.allowArtifact, dependencies, artifact, (result) => {
      if (result === 'environment not found') throw notFound(org, environment);
      if (result === 'too many') {
        const rule = `must leave no more than ${maximumAllowedArtifacts} artifacts on the list; take others off first`;
        throw validationError(['artifact_fingerprint', rule]);
      }
      return { status: result === 'allowed' ? 201 : 200, body: 'OK' };
    });
  });

  addRoute(host, listAllowedArtifacts, requireRole(dependencies, 'read'), async ({ parameters }) => {
    const { org, env_name: environment } = parameters;
    const listed = await allowList.listAllowedArtifacts(dependencies, { org, environment });
    if (listed === undefined) throw notFound(org, environment);
    return {
      status: 200,
      body: listed.map(({ fingerprint, name, reason, by, at }) => ({
        artifact_fingerprint: fingerprint,
        artifact_name: name,
        description: reason,
        created_by: by,
        created_at: at,
      })),
    };
  });

  addRoute(host, disallowArtifact, requireRole(dependencies, 'define'), ({ caller, parameters, carryOut }) => {
    const { org, env_name: environment, fingerprint } = parameters;
    return carryOut(
      allowList.disallowArtifact,
      dependencies,
      { org, environment, fingerprint, by: actorName(caller) },
      (result) => {
        if (result === 'environment not found') throw notFound(org, environment);
        if (result === 'not allowed') throw new ApiError(artifactNotAllowed, { values: { fingerprint, environment } });
        return { status: 200, body: 'OK' };
      },
    );
  });
}
