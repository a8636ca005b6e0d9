import type { Endpoint } from '../../contract/endpoint.ts';
import { namedFlowNotFound } from '../../contract/errors.ts';
import { createFlow, type FlowSummary, getFlow, listFlows } from '../../contract/flow.ts';
import { createFlowFromFile } from '../../contract/flow-template.ts';
import { maximumTemplateNames } from '../../contract/limits.ts';
import { actorName, type Caller, mayAccess } from '../account/access.ts';
import { forbiddenError, requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { toListPart, toPagination } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { createTemplateReader, requireTemplate, toTemplateResponse } from '../template/template-response.ts';
import type { FlowHead } from './flow-records.ts';
import * as flows from './flow-use-cases.ts';

/** Adds operation 1 (create or replace a flow), the same with a template file, and the endpoints that read flows. */
export function addFlowRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const reader = createTemplateReader();
  const toAnswer =
    (caller: Caller, endpoint: Endpoint) =>
    (saved: flows.SaveFlowResult): { readonly status: 200 | 201; readonly body: string } => {
      if (saved === 'not permitted') throw forbiddenError(caller, 'define', endpoint);
      if (saved === 'too many names') {
        throw validationError(['template', `must not name more than ${maximumTemplateNames} pieces of evidence`]);
      }
      return { status: saved === 'created' ? 201 : 200, body: 'OK' };
    };
  const toAuthor = (caller: Caller, name: string): flows.DefinitionAuthor => ({
    by: actorName(caller),
    mayDefine: mayAccess(caller, caller.org, 'define', { flows: [name] }),
  });

  addRoute(host, createFlow, requireRole(dependencies, 'record', 'named later'), (received) => {
    const { caller, parameters, document, carryOut } = received;
    const { name, description, template, visibility, repo_url: repoUrl } = document;
    requireAccess(caller, 'record', { flows: [name] }, createFlow);
    const fields = { org: parameters.org, name, description, template, visibility, repoUrl };
    const flow = { ...fields, ...toAuthor(caller, name) };
    return carryOut(flows.saveFlow, dependencies, flow, toAnswer(caller, createFlow));
  });

  addRoute(host, createFlowFromFile, requireRole(dependencies, 'record', 'named later'), async (received) => {
    const { caller, parameters, document, file, carryOut } = received;
    const { name, description, visibility, repo_url: repoUrl } = document;
    requireAccess(caller, 'record', { flows: [name] }, createFlowFromFile);
    if (file === undefined) throw validationError(['template_file', 'is missing']);
    const template = await requireTemplate(reader, file);
    const fields = { org: parameters.org, name, description, template, visibility, repoUrl };
    const flow = { ...fields, ...toAuthor(caller, name) };
    return carryOut(flows.saveFlow, dependencies, flow, toAnswer(caller, createFlowFromFile));
  });

  addRoute(host, getFlow, requireRole(dependencies, 'read'), async ({ parameters }) => {
    const { org, flow_name: name } = parameters;
    const flow = await dependencies.storage.read((records) => records.flows.find(org, name));
    if (flow === undefined) throw new ApiError(namedFlowNotFound, { values: { org, flow: name } });
    const { template, repoUrl } = flow;
    return {
      status: 200,
      body: {
        ...toFlowSummary(flow),
        template: toTemplateResponse(template),
        ...(repoUrl === undefined || repoUrl === null ? {} : { repo_url: repoUrl }),
      },
    };
  });

  addRoute(host, listFlows, requireRole(dependencies, 'read'), async ({ parameters: { org }, query }) => {
    const { search_by_name: search, case_sensitive: isCaseSensitive, tag: tags, archived: isArchived } = query;
    const part = query.page === undefined && query.per_page === undefined ? undefined : toListPart(query);
    const found = await flows.listFlows(dependencies, { org, search, isCaseSensitive, tags, isArchived, part });
    const data = found.flows.map(toFlowSummary);
    if (part === undefined) return { status: 200, body: data };
    return { status: 200, body: { data, pagination: toPagination(part, found.total) } };
  });
}

function toFlowSummary({ org, name, description, visibility, tags, isArchived }: FlowHead): FlowSummary {
  return { name, org, description, visibility: visibility ?? 'private', tags, archived: isArchived };
}
