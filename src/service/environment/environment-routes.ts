import {
  createEnvironment,
  type EnvironmentKind,
  type EnvironmentPayload,
  includedEnvironmentNotFound,
  invalidReport,
  joinEnvironment,
  policyNotFound,
  reportK8s,
} from '../../contract/environment.ts';
import { type EnvironmentResponse, getEnvironment, listEnvironments } from '../../contract/environment-list.ts';
import { type EnvironmentLogEntry, listEnvironmentEvents } from '../../contract/environment-log.ts';
import { reportKinds } from '../../contract/environment-report.ts';
import {
  commonErrors,
  environmentNotFound,
  environmentOrPolicyNotFound,
  namedEnvironmentNotFound,
} from '../../contract/errors.ts';
import { maximumMembers, maximumPolicies, maximumReportedImages } from '../../contract/limits.ts';
import { attachPolicy, detachPolicy } from '../../contract/policy.ts';
import { parseSecondsAgo } from '../../contract/snapshot-expression.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { actorName, type Caller, explainRefusal, hasPermission, mayAccess } from '../account/access.ts';
import { toReadableEnvironment, toReadableProvenance } from '../account/readable-parts.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, missingEnvironment, validationError } from '../platform/server/errors/api-error.ts';
import { toListPart, toPagination } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { type RunningArtifact, toRunningArtifacts } from '../snapshot/running-artifact.ts';
import type { Environment } from '../snapshot/snapshot.ts';
import { parseInterval } from '../snapshot/snapshot-routes.ts';
import * as reading from './environment-reading-use-cases.ts';
import * as environments from './environment-use-cases.ts';

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
        ...{ user: actorName(caller), mayRestore: mayChangeRules },
        mayTakeOut: (member: string) => mayAccess(caller, org, 'define', { environments: [name, member] }),
      };
      return carryOut(environments.saveEnvironment, dependencies, environment, (saved) => {
        requireSaved(caller, saved);
        return { status: 201, body: 'OK' };
      });
    },
  );

  addRoute(
    host,
    joinEnvironment,
    requireRole(dependencies, 'report'),
    ({ caller, parameters: { org, env_name: name }, document: { physical_env_name: member }, carryOut }) => {
      requireAccess(caller, 'report', { environments: [name, member] }, joinEnvironment);
      return carryOut(
        environments.joinEnvironment,
        dependencies,
        { org, name, member, user: actorName(caller) },
        (result) => {
          requireJoined(caller, name, result);
          return { status: 200, body: 'OK' };
        },
      );
    },
  );

  addRoute(host, attachPolicy, requireRole(dependencies, 'define'), ({ caller, parameters, document, carryOut }) => {
    const { org, env_name: environment } = parameters;
    const change = { org, environment, attach: document.policy_names, detach: [], user: actorName(caller) };
    return carryOut(environments.changePolicies, dependencies, change, (outcome) => {
      requireChanged(change, outcome);
      return { status: 201, body: 'OK' };
    });
  });

  addRoute(host, detachPolicy, requireRole(dependencies, 'define'), ({ caller, parameters, document, carryOut }) => {
    const { org, env_name: environment } = parameters;
    const change = { org, environment, attach: [], detach: document.policy_names, user: actorName(caller) };
    return carryOut(environments.changePolicies, dependencies, change, (outcome) => {
      requireChanged(change, outcome);
      return { status: 200, body: 'OK' };
    });
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

/** @throws ApiError if the policies were not changed; `errors` says why. */
function requireChanged(
  { org, environment }: environments.PolicyChange,
  outcome: environments.ChangePoliciesResult,
): void {
  if (outcome === 'changed') return;
  if (outcome === 'too many') {
    const rule = `must leave the environment with no more than ${maximumPolicies} policies`;
    throw validationError(['policy_names', rule]);
  }
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

/** @throws ApiError if the environment did not join. */
function requireJoined(caller: Caller, environment: string, joined: environments.JoinEnvironmentResult): void {
  const { org } = caller;
  switch (joined.outcome) {
    case 'environment not found':
      throw new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
    case 'not logical':
      throw validationError(['path.env_name', 'must be a logical environment']);
    case 'too many members':
      throw validationError(['physical_env_name', `must leave no more than ${maximumMembers} members`]);
    case 'member is logical':
      throw validationError(['physical_env_name', `must not be ${joined.member}, which is a logical environment`]);
    case 'member not found':
      throw new ApiError(namedEnvironmentNotFound, { values: { org, environment: joined.member } });
    default:
      requireSaved(caller, joined);
  }
}

/** @throws ApiError if the environment was not saved. */
function requireSaved({ org, grants }: Caller, saving: environments.SaveEnvironmentResult): void {
  switch (saving.outcome) {
    case 'saved':
      return;
    case 'archived':
      throw needsDefine(grants, ['name', 'is an environment that is archived; bringing it back']);
    case 'former name':
      throw needsDefine(grants, ['name', 'is a former name of an environment: use its present one; taking this one']);
    case 'member stays':
      throw needsDefine(grants, ['included_environments', 'leaves out a member, whose policies count here; that']);
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

/** @param beginning the field, and the beginning of what is wrong with it */
function needsDefine(grants: Caller['grants'], [field, beginning]: readonly [string, string]): ApiError {
  return new ApiError(commonErrors.forbidden, {
    errors: [
      [field, `${beginning} needs the permission define`],
      ['authorization', explainRefusal(grants, 'define') ?? 'lacks this permission'],
    ],
  });
}

export function addEnvironmentReportRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const kinds = [{ kind: 'K8S', named: ['podName'], endpoint: reportK8s } as const, ...reportKinds];
  for (const { kind, named, endpoint } of kinds) {
    addRoute(host, endpoint, requireRole(dependencies, 'report'), ({ parameters, document, carryOut }) => {
      const report = toReport(parameters, kind, toRunningArtifacts(document.artifacts, named));
      return carryOut(environments.recordReport, dependencies, report, respond);
    });
  }
}

/** @throws ApiError if the report has too many images. */
function toReport(
  { org, env_name: environment }: { readonly org: string; readonly env_name: string },
  kind: EnvironmentKind,
  artifacts: readonly RunningArtifact[],
): environments.EnvironmentReport {
  if (artifacts.length > maximumReportedImages) {
    const rule = `must not have more than ${maximumReportedImages} images, by name and digest`;
    throw new ApiError(invalidReport, { errors: [['artifacts', rule]] });
  }
  return { org, environment, kind, artifacts };
}

/** @throws ApiError if the report was not recorded. */
function respond(recorded: environments.RecordReportResult): { readonly status: 200 | 201; readonly body: string } {
  switch (recorded.outcome) {
    case 'snapshot made':
      return { status: 201, body: 'OK' };
    case 'nothing new':
      return { status: 200, body: 'OK' };
    case 'environment not found':
      throw new ApiError(environmentNotFound);
    case 'of another kind': {
      const rule = `is an environment of the type ${recorded.kind}, and this is a report of ${recorded.reported}`;
      throw new ApiError(invalidReport, { errors: [['path.env_name', rule]] });
    }
  }
}

export function addEnvironmentReadingRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, getEnvironment, requireRole(dependencies, 'read'), async ({ caller, parameters }) => {
    const { org, env_name: name } = parameters;
    const found = await reading.findEnvironment(dependencies, { org, name });
    if (found === undefined) throw new ApiError(namedEnvironmentNotFound, { values: { org, environment: name } });
    return { status: 200, body: toEnvironmentResponse(toReadableEnvironment(caller, found)) };
  });

  addRoute(host, listEnvironments, requireRole(dependencies, 'read'), async ({ parameters: { org }, query }) => {
    const { name, type: kinds, sort = 'name', sort_direction: direction, tag, space_id, archived: isArchived } = query;
    const part = query.page === undefined && query.per_page === undefined ? undefined : toListPart(query);
    // No environment is in a space.
    const isEmpty = (space_id ?? []).length > 0;
    const { environments: listed, total } = await reading.listEnvironments(dependencies, {
      ...{ org, name, tags: tag, isArchived, sort, descending: direction === 'desc' },
      ...{ kinds: isEmpty ? [] : kinds, part },
    });
    const shown = listed.map(toEnvironmentResponse);
    if (part === undefined) return { status: 200, body: shown };
    const { page, per_page, page_count: total_pages } = toPagination(part, total);
    return { status: 200, body: { environments: shown, page, per_page, total_pages, total_count: total } };
  });

  addRoute(host, listEnvironmentEvents, requireRole(dependencies, 'read'), async ({ caller, parameters, query }) => {
    const { org, env_name: environment } = parameters;
    const { reverse: ascending = false, repo_name: repositories } = query;
    // A repository can have artifacts in any flow.
    if (repositories !== undefined) requireAccess(caller, 'read', {}, listEnvironmentEvents);
    const now = unixSeconds(dependencies.now());
    const found = await reading.listEnvironmentEvents(dependencies, {
      ...{ org, environment, repositories, now },
      interval: parseInterval(query.interval ?? '', environment),
      starts: [parseEnd('start', query.start, now), { time: query.start_ts }],
      ends: [parseEnd('end', query.end, now), { time: query.end_ts }],
      part: { ...toListPart(query), ascending },
    });
    if (found === undefined) throw new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
    const provenance = toReadableProvenance(caller, found.provenance);
    return { status: 200, body: found.events.map((event) => toLogEntry(event, environment, provenance)) };
  });
}

function toEnvironmentResponse(environment: Environment): EnvironmentResponse {
  const { name, org, kind, description, compliant, lastReportedAt, lastModifiedAt, lastChangedAt } = environment;
  return {
    ...{ name, org, type: kind, description, state: compliant },
    last_reported_at: lastReportedAt ?? null,
    last_modified_at: lastModifiedAt,
    last_changed_at: lastChangedAt ?? null,
    tags: environment.tags,
    archived: environment.isArchived,
    policies: [...environment.policies],
    require_provenance: environment.requiresProvenance,
    included_environments: [...environment.members],
  };
}

/**
 * Parses the start or the end of the interval to list. `NOW` is the present.
 *
 * @throws ApiError if the text is neither a number nor a time.
 */
function parseEnd(name: 'start' | 'end', text: string | undefined, now: number): reading.LogEnd {
  if (text === undefined || text === '') return {};
  if (text.toUpperCase() === 'NOW') return { time: now };
  if (/^[1-9][0-9]{0,8}$/.test(text)) return { snapshot: Number(text) };
  const seconds = parseSecondsAgo(text);
  if (seconds !== undefined) return { time: now - seconds };
  throw validationError([`query.${name}`, 'must be the number of a snapshot, a time such as 1hour or 2days, or NOW']);
}

function toLogEntry(
  { snapshot, at, type, fingerprint, name }: reading.EnvironmentLog['events'][number],
  environment: string,
  provenance: reading.EnvironmentLog['provenance'],
): EnvironmentLogEntry {
  return {
    snapshot_index: snapshot,
    artifact_name: name === '' ? fingerprint : name,
    sha256: fingerprint,
    description: type === 'started' ? `Started to run in ${environment}` : `No longer runs in ${environment}`,
    pipeline: provenance.get(fingerprint)?.flow ?? '',
    reported_at: at,
  };
}
