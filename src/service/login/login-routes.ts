import { apiKeyNotFound } from '../../contract/api-key.ts';
import { logIn } from '../../contract/login.ts';
import { listLoginKeys, type LoginKeyDetails, revokeLoginKey } from '../../contract/login-key.ts';
import {
  deleteLoginRule,
  listLoginRules,
  loginRuleNotFound,
  type LoginRuleResponse,
  maximumLoginRules,
  maximumLoginRulesLength,
  saveLoginRule,
} from '../../contract/login-rule.ts';
import { actorName } from '../account/access.ts';
import type { Login, StoredKey } from '../account/account.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { requireIdentityToken } from '../platform/server/authentication/identity-token.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { toListPart, toPagination } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { type LoginRule, toRuleLimits, withDefaults } from './login-rule.ts';
import * as rules from './login-rule-use-cases.ts';
import * as loginKeys from './login-use-cases.ts';

export function addLoginRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, logIn, requireIdentityToken(dependencies), ({ caller: { key, stored, login } }) =>
    Promise.resolve({ status: 201, body: { id: stored.id, key, ...toLoginDetails(stored, login) } }),
  );

  addRoute(host, listLoginRules, administer, async ({ parameters: { org } }) => {
    const listed = await dependencies.storage.read(({ loginRules }) => loginRules.list(org));
    return { status: 200, body: listed.map(toResponse) };
  });

  addRoute(host, saveLoginRule, administer, ({ caller, parameters: { org, rule: name }, document, carryOut }) => {
    if (document.commits === 'any' && document.events.some((event) => event !== 'workflow_run')) {
      throw validationError(['commits', 'must be left out, because `events` has others than workflow_run']);
    }
    const wanted = { org, name, declaration: withDefaults(document), by: actorName(caller) };
    return carryOut(rules.saveLoginRule, dependencies, wanted, (saved) => {
      if (saved.outcome === 'too many rules') {
        throw validationError(['path.rule', `is new, but there are already ${maximumLoginRules} rules`]);
      }
      if (saved.outcome === 'too long') {
        const rule = `must leave all login rules of the organization no longer than ${maximumLoginRulesLength} characters`;
        throw validationError(['body', rule]);
      }
      return { status: saved.outcome === 'created' ? 201 : 200, body: toResponse(saved.rule) };
    });
  });

  addRoute(host, deleteLoginRule, administer, ({ caller, parameters: { org, rule: name }, carryOut }) =>
    carryOut(rules.deleteLoginRule, dependencies, { org, name, by: actorName(caller) }, (result) => {
      if (result === 'not found') throw new ApiError(loginRuleNotFound, { values: { org, rule: name } });
      return { status: 200, body: result };
    }),
  );

  addLoginKeyRoutes(host, dependencies);
}

function toResponse(rule: LoginRule): LoginRuleResponse {
  return { ...rule, ...toRuleLimits(rule) };
}

/** Adds the endpoints with which admins see and revoke the keys of workflow runs. */
function addLoginKeyRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, listLoginKeys, administer, async ({ parameters: { org }, query }) => {
    const part = toListPart(query);
    const { keys, total } = await loginKeys.listLoginKeys(dependencies, { org, part });
    const data = keys.flatMap((key) => (key.login ? [{ id: key.id, ...toLoginDetails(key, key.login) }] : []));
    return { status: 200, body: { data, pagination: toPagination(part, total) } };
  });

  addRoute(host, revokeLoginKey, administer, ({ caller, parameters: { org, key_id: id }, carryOut }) =>
    carryOut(loginKeys.revokeLoginKey, dependencies, { org, id, by: actorName(caller) }, (result) => {
      if (result === 'key not found') throw new ApiError(apiKeyNotFound);
      return { status: 200, body: result };
    }),
  );
}

function toLoginDetails(
  { createdAt, expiresAt }: StoredKey,
  { rules: admitting, proven }: Login,
): Omit<LoginKeyDetails, 'id'> {
  return { created_at: createdAt, expires_at: expiresAt, rules: [...admitting], proven: { ...proven } };
}
