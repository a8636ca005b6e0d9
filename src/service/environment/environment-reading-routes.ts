import { getEnvironment, listEnvironments, type EnvironmentResponse } from '../../contract/environment-list.ts';
import { listEnvironmentEvents, type EnvironmentLogEntry } from '../../contract/environment-log.ts';
import { namedEnvironmentNotFound } from '../../contract/errors.ts';
import { defaultPageSize } from '../../contract/paging.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import * as environments from './environment-list-use-cases.ts';
import * as log from './environment-log-use-cases.ts';
import { parseSecondsAgo } from '../../contract/snapshot-expression.ts';
import type { EnvironmentOverview } from '../snapshot/snapshot.ts';
import { toReadableEnvironment, toReadableProvenance } from '../account/readable-parts.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { parseInterval } from '../snapshot/snapshot-routes.ts';

/** Adds the endpoints that read environments, and the log of what started and stopped running in one. */
export function addEnvironmentReadingRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, getEnvironment, requireRole(dependencies, 'read'), async ({ caller, parameters }) => {
    const { org, env_name: name } = parameters;
    const found = await environments.findEnvironment(dependencies, { org, name });
    if (found === undefined) throw new ApiError(namedEnvironmentNotFound, { values: { org, environment: name } });
    return { status: 200, body: toEnvironmentResponse(toReadableEnvironment(caller, found)) };
  });

  addRoute(host, listEnvironments, requireRole(dependencies, 'read'), async ({ parameters: { org }, query }) => {
    const {
      name,
      type: kinds,
      sort = 'name',
      sort_direction: direction,
      page,
      per_page: perPage,
      tag,
      space_id,
    } = query;
    const isPaged = page !== undefined || perPage !== undefined;
    const [number, size] = [page ?? 1, perPage ?? defaultPageSize];
    // Nothing has a tag or is in a space.
    const isEmpty = (tag ?? []).length + (space_id ?? []).length > 0;
    const { environments: listed, total } = await environments.listEnvironments(dependencies, {
      ...{ org, name, sort, descending: direction === 'desc' },
      ...{ kinds: isEmpty ? [] : kinds, page: isPaged ? { number, size } : undefined },
    });
    const shown = listed.map(toEnvironmentResponse);
    if (!isPaged) return { status: 200, body: shown };
    const pages = { page: number, per_page: size, total_pages: Math.ceil(total / size), total_count: total };
    return { status: 200, body: { environments: shown, ...pages } };
  });

  addRoute(host, listEnvironmentEvents, requireRole(dependencies, 'read'), async ({ caller, parameters, query }) => {
    const { org, env_name: environment } = parameters;
    const { page = 1, per_page: size = defaultPageSize, reverse = false, repo_name: repositories } = query;
    // A repository can have artifacts in any flow.
    if (repositories !== undefined) requireAccess(caller, 'read', {}, listEnvironmentEvents);
    const now = unixSeconds(dependencies.now());
    const found = await log.listEnvironmentEvents(dependencies, {
      ...{ org, environment, repositories, now },
      interval: parseInterval(query.interval ?? '', environment),
      starts: [...parseEnd('start', query.start, now), ...toTimeEnd(query.start_ts)],
      ends: [...parseEnd('end', query.end, now), ...toTimeEnd(query.end_ts)],
      page: { page, size, ascending: reverse },
    });
    if (found === undefined) throw new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
    const provenance = toReadableProvenance(caller, found.provenance);
    return { status: 200, body: found.events.map((event) => toLogEntry(event, environment, provenance)) };
  });
}

function toEnvironmentResponse(environment: EnvironmentOverview): EnvironmentResponse {
  const { name, org, kind, description, compliant, lastReportedAt, lastModifiedAt, lastChangedAt } = environment;
  return {
    ...{ name, org, type: kind, description, state: compliant },
    last_reported_at: lastReportedAt ?? null,
    last_modified_at: lastModifiedAt,
    last_changed_at: lastChangedAt ?? null,
    tags: {},
    policies: [...environment.policies],
    require_provenance: environment.requiresProvenance,
    included_environments: [...environment.members],
  };
}

function toTimeEnd(time: number | undefined): readonly log.LogEnd[] {
  return time === undefined ? [] : [{ time }];
}

/**
 * Parses one end of the log. `NOW` limits nothing at the end, and at the start it is the present.
 *
 * @throws ApiError if the text is neither a number nor a time.
 */
function parseEnd(name: 'start' | 'end', text: string | undefined, now: number): readonly log.LogEnd[] {
  if (text === undefined || text === '') return [];
  if (text.toUpperCase() === 'NOW') return [{ time: now }];
  if (/^[1-9][0-9]{0,8}$/.test(text)) return [{ snapshot: Number(text) }];
  const seconds = parseSecondsAgo(text);
  if (seconds !== undefined) return [{ time: now - seconds }];
  throw validationError([`query.${name}`, 'must be the number of a snapshot, a time such as 1hour or 2days, or NOW']);
}

function toLogEntry(
  { snapshot, at, type, fingerprint, name }: log.EnvironmentLog['events'][number],
  environment: string,
  provenance: log.EnvironmentLog['provenance'],
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
