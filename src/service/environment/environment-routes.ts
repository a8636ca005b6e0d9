import {
  createEnvironment,
  includedEnvironmentNotFound,
  policyNotFound,
  type EnvironmentPayload,
} from '../../contract/environment.ts';
import { commonErrors, environmentOrPolicyNotFound } from '../../contract/errors.ts';
import { maximumPolicies } from '../../contract/limits.ts';
import { attachPolicy, detachPolicy } from '../../contract/policy.ts';
import { actorName, explainRefusal, hasPermission, mayAccess, type Caller } from '../account/access.ts';
import * as environments from './environment-use-cases.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, missingEnvironment, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds operations 2, 4 and 5: create or update an environment, attach and detach policies. */
export function addEnvironmentRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(
    host,
    createEnvironment,
    requireRole(dependencies, 'report', 'named later'),
    ({ caller, parameters: { org }, document, carryOut }) => {
      const { name, type: kind, description, included_environments: members, policies } = document;
      const target = { environments: [name, ...(members ?? [])] };
      requireAccess(caller, 'report', target, createEnvironment);
      if (kind !== 'logical' && members !== undefined && members.length > 0) {
        throw validationError(['included_environments', 'is only for environments of the type logical']);
      }
      // Otherwise a role that may only report environments could change what judges them.
      const mayChangeRules = mayAccess(caller, org, 'define', target);
      if (!mayChangeRules) requireSameRules(document, caller);
      const requiresProvenance = mayChangeRules ? document.require_provenance : undefined;
      const environment = {
        ...{ org, name, kind, description, members, policies, requiresProvenance },
        user: actorName(caller),
      };
      return carryOut(
        (saved: environments.SaveEnvironmentResult) => {
          requireSaved(org, saved);
          return { status: 201, body: 'OK' };
        },
        (request) => environments.saveEnvironment(dependencies, environment, request),
      );
    },
  );

  addRoute(host, attachPolicy, requireRole(dependencies, 'define'), ({ caller, parameters, document, carryOut }) => {
    const { org, env_name: environment } = parameters;
    const change = { org, environment, policies: document.policy_names, user: actorName(caller) };
    return carryOut(
      (outcome: environments.AttachPoliciesResult) => {
        requireFound(change, outcome);
        if (outcome === 'too many') {
          const rule = `must leave the environment with no more than ${maximumPolicies} policies`;
          throw validationError(['policy_names', rule]);
        }
        return { status: 201, body: 'OK' };
      },
      (request) => environments.attachPolicies(dependencies, change, request),
    );
  });

  addRoute(host, detachPolicy, requireRole(dependencies, 'define'), ({ caller, parameters, document, carryOut }) => {
    const { org, env_name: environment } = parameters;
    const change = { org, environment, policies: document.policy_names, user: actorName(caller) };
    return carryOut(
      (outcome: environments.DetachPoliciesResult) => {
        requireFound(change, outcome);
        return { status: 200, body: 'OK' };
      },
      (request) => environments.detachPolicies(dependencies, change, request),
    );
  });
}

/**
 * Older public clients always send `require_provenance: false`, so that changes nothing.
 *
 * @throws ApiError if the document contains what judges the environment
 */
function requireSameRules(
  { policies, require_provenance: requiresProvenance }: EnvironmentPayload,
  { grants }: Caller,
): void {
  const fields = [
    ...(policies === undefined ? [] : ['policies']),
    ...(requiresProvenance === true ? ['require_provenance'] : []),
  ];
  if (fields.length === 0) return;
  const lack = hasPermission(grants, 'record') ? explainRefusal(grants, 'define') : undefined;
  const rule = lack ?? 'can only be set by admins and members';
  const errors = fields.map((field) => [field, rule] as const);
  throw new ApiError(commonErrors.forbidden, { errors });
}

/** @throws ApiError if the environment or a policy does not exist; `errors` says which. */
function requireFound(
  { org, environment }: environments.PolicyChange,
  outcome: environments.AttachPoliciesResult | environments.DetachPoliciesResult,
): void {
  if (typeof outcome === 'string') return;
  const { isEnvironmentMissing, missingPolicies } = outcome;
  throw new ApiError(environmentOrPolicyNotFound, {
    errors: [
      ...(isEnvironmentMissing ? [missingEnvironment(org, environment)] : []),
      ...(missingPolicies.length === 0 ? [] : [['policy_names', describeMissing(org, missingPolicies)] as const]),
    ],
  });
}

function describeMissing(org: string, policies: readonly string[]): string {
  const names = policies.map((policy) => `'${policy}'`).join(', ');
  return policies.length === 1
    ? `Policy ${names} does not exist in organization '${org}'`
    : `Policies ${names} do not exist in organization '${org}'`;
}

/** @throws ApiError if the environment was not saved. */
function requireSaved(org: string, saving: environments.SaveEnvironmentResult): void {
  switch (saving.outcome) {
    case 'saved':
      return;
    case 'of another kind':
      throw validationError(['type', `must be ${saving.kind}; the type of an environment cannot change`]);
    case 'member not found':
      throw new ApiError(includedEnvironmentNotFound, { values: { org, environment: saving.member } });
    case 'member is logical':
      throw validationError([
        'included_environments',
        `must not include ${saving.member}, which is a logical environment`,
      ]);
    case 'policy not found':
      throw new ApiError(policyNotFound, { values: { org, policy: saving.policy } });
  }
}
