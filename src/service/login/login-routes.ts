import {
  deleteLoginRule,
  githubIssuer,
  listLoginRules,
  loginRuleNotFound,
  maximumLoginRules,
  maximumLoginRulesLength,
  saveLoginRule,
  type LoginRuleDocument,
  type LoginRuleResponse,
} from '../../contract/login-rule.ts';
import { logIn } from '../../contract/login.ts';
import * as rules from './login-rule-use-cases.ts';
import { actorName } from '../account/access.ts';
import { defaultCountsFor, defaultPermissions, toRuleLimits, type LoginRule } from './login-rule.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { requireIdentityToken } from '../platform/server/authentication/identity-token.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds the endpoint with which workflow runs log in, and those with which admins say which runs may. */
export function addLoginRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, logIn, requireIdentityToken(dependencies), ({ caller: { key, stored, login } }) => {
    const { id, createdAt, expiresAt } = stored;
    const { grants, proven } = login;
    const times = { created_at: createdAt, expires_at: expiresAt };
    return Promise.resolve({
      status: 201,
      body: { id, key, ...times, rules: grants.map(({ rule }) => rule), proven: { ...proven } },
    });
  });

  addRoute(host, listLoginRules, administer, async ({ parameters: { org } }) => {
    const listed = await rules.listLoginRules(dependencies, { org });
    return { status: 200, body: listed.map(toResponse) };
  });

  addRoute(host, saveLoginRule, administer, ({ caller, parameters: { org, rule: name }, document, carryOut }) => {
    const wanted = { ...toConditions(document), org, name, by: actorName(caller) };
    return carryOut(
      (saved: rules.SaveLoginRuleResult) => {
        if (saved.outcome === 'too many rules') {
          throw validationError(['path.rule', `is new, but there are already ${maximumLoginRules} rules`]);
        }
        if (saved.outcome === 'too long') {
          const rule = `must leave all login rules of the organization no longer than ${maximumLoginRulesLength} characters`;
          throw validationError(['body', rule]);
        }
        return { status: saved.outcome === 'created' ? 201 : 200, body: toResponse(saved.rule) };
      },
      (request) => rules.saveLoginRule(dependencies, wanted, request),
    );
  });

  addRoute(host, deleteLoginRule, administer, ({ caller, parameters: { org, rule: name }, carryOut }) =>
    carryOut(
      (result: rules.DeleteLoginRuleResult) => {
        if (result === 'not found') throw new ApiError(loginRuleNotFound, { values: { org, rule: name } });
        return { status: 200, body: result };
      },
      (request) => rules.deleteLoginRule(dependencies, { org, name, by: actorName(caller) }, request),
    ),
  );
}

function toConditions(
  document: LoginRuleDocument,
): Omit<LoginRule, 'org' | 'name' | 'createdAt' | 'createdBy' | 'lastModifiedAt'> {
  const { repository, refs, events, workflows, actors, role, flows, environments } = document;
  const { description = '', issuer = githubIssuer } = document;
  return {
    ...{ description, issuer, repository, refs, events, workflows, actors, role, flows, environments },
    repositoryId: document.repository_id,
    repositoryOwnerId: document.repository_owner_id,
    jobWorkflowRef: document.job_workflow_ref,
    runnerEnvironment: document.runner_environment,
    jobEnvironments: document.job_environments,
    privatePullRequests: document.private_pull_requests ?? false,
    permissions: document.permissions ?? defaultPermissions,
    countsForEnvironments: document.counts_for_environments ?? defaultCountsFor({ events }),
  };
}

function toResponse(rule: LoginRule): LoginRuleResponse {
  const { name, description, issuer, repository, refs, events, role } = rule;
  const { workflows, jobEnvironments, actors, flows, environments } = rule;
  const { jobWorkflowRef, runnerEnvironment, repositoryOwnerId } = rule;
  const { permissions, countsForEnvironments } = toRuleLimits(rule);
  return {
    ...{ name, description, issuer, repository, role },
    repository_id: rule.repositoryId,
    refs: [...refs],
    events: [...events],
    ...(workflows === undefined ? {} : { workflows: [...workflows] }),
    ...(jobWorkflowRef === undefined ? {} : { job_workflow_ref: jobWorkflowRef }),
    ...(runnerEnvironment === undefined ? {} : { runner_environment: runnerEnvironment }),
    ...(repositoryOwnerId === undefined ? {} : { repository_owner_id: repositoryOwnerId }),
    ...(jobEnvironments === undefined ? {} : { job_environments: [...jobEnvironments] }),
    ...(actors === undefined ? {} : { actors: [...actors] }),
    private_pull_requests: rule.privatePullRequests,
    ...(flows === undefined ? {} : { flows: [...flows] }),
    ...(environments === undefined ? {} : { environments: [...environments] }),
    permissions: [...permissions],
    counts_for_environments: [...countsForEnvironments],
    created_at: rule.createdAt,
    created_by: rule.createdBy,
    last_modified_at: rule.lastModifiedAt,
  };
}
