import { namedFlowNotFound } from '../../contract/errors.ts';
import { beginTrail } from '../../contract/trail.ts';
import { listTrails, trailPageSizes } from '../../contract/trail-list.ts';
import { getTrail, trailNotFound } from '../../contract/trail-reading.ts';
import { actorName, mayAccess, toCountsFor } from '../account/access.ts';
import { countsForAny } from '../account/audience.ts';
import { toReadableHistory } from '../account/readable-parts.ts';
import { withProof } from '../login/proven-response.ts';
import { forbiddenError, requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { toListPart, toPagination } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { createTemplateReader, requireTemplate } from '../template/template-response.ts';
import { toTrailResponse, toTrailSummary } from './trail-response.ts';
import * as trails from './trail-use-cases.ts';

export function addTrailRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { links } = dependencies;
  const reader = createTemplateReader();

  addRoute(host, beginTrail, requireRole(dependencies, 'record'), async (received) => {
    const { caller, parameters, document, file, carryOut } = received;
    const { name, ...said } = document;
    const report = withProof(caller, said);
    const template = file === undefined ? undefined : await requireTemplate(reader, file);
    const { org, flow_name: flow } = parameters;
    const author = { by: actorName(caller), mayDefine: mayAccess(caller, org, 'define', { flows: [flow] }) };
    const trail = { org, flow, name, report, template, counts: countsForAny(toCountsFor(caller, flow)), ...author };
    return carryOut(trails.beginTrail, dependencies, trail, (result) => {
      if (result === 'not permitted') throw forbiddenError(caller, 'define', beginTrail);
      if (result === 'flow not found')
        throw new ApiError(namedFlowNotFound, { values: { org: trail.org, flow: trail.flow } });
      if (typeof result === 'object') throw toMoveError(result.keptCommit);
      return { status: result === 'begun' ? 201 : 200, body: 'OK' };
    });
  });

  addRoute(host, getTrail, requireRole(dependencies, 'read'), async ({ caller, parameters }) => {
    const { org, flow_name: flow, trail_name: name } = parameters;
    const found = await trails.findTrailHistory(dependencies, { org, flow, name });
    if (found === undefined) {
      const isFlow = await dependencies.storage.read(({ flows }) => flows.exists(org, flow));
      throw isFlow
        ? new ApiError(trailNotFound, { values: parameters })
        : new ApiError(namedFlowNotFound, { values: { org, flow } });
    }
    return { status: 200, body: toTrailResponse(found.details, toReadableHistory(caller, found.history), links) };
  });

  addRoute(host, listTrails, requireRole(dependencies, 'read', 'named later'), async (received) => {
    const { caller, parameters, query } = received;
    const { org } = parameters;
    const { flow, fingerprint, flow_tag: tag } = query;
    requireAccess(caller, 'read', flow === undefined ? {} : { flows: [flow] }, listTrails);
    const part = toListPart({ per_page: trailPageSizes.default, ...query });
    const filter = { flow, flowTag: tag?.replace('=', ':'), fingerprint };
    const found = await trails.listTrails(dependencies, { org, filter, part });
    return {
      status: 200,
      body: {
        data: found.trails.map((details) => toTrailSummary(details, links)),
        pagination: toPagination(part, found.total),
      },
    };
  });
}

function toMoveError(commit: string): ApiError {
  const rule =
    `must stay ${commit}, and the repository must stay the same: a key that counts for environments began the trail, ` +
    'and this one counts for none; begin another trail';
  return validationError(['git_commit_info.sha1', rule]);
}
