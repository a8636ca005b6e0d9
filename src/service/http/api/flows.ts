import { flowNotFound } from '../../../contract/errors.ts';
import { createFlow, getFlow } from '../../../contract/flow.ts';
import { maximumTemplateNames } from '../../../contract/limits.ts';
import * as flows from '../../application/flows.ts';
import { requireRole } from '../authentication/authentication.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { validationError, ApiError } from '../errors/api-error.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** Adds operation 1 (create or replace a flow) and the endpoint that reads a flow. */
export function addFlowRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, createFlow, requireRole(dependencies, 'record'), ({ parameters, document, carryOut }) => {
    const { name, description, template, visibility, repo_url: repoUrl } = document;
    const flow = { org: parameters.org, name, description, template, visibility, repoUrl };
    return carryOut(
      (saved: flows.SaveFlowResult) => {
        if (saved === 'too many names') {
          throw validationError(['template', `must not name more than ${maximumTemplateNames} pieces of evidence`]);
        }
        return { status: saved === 'created' ? 201 : 200, body: 'OK' };
      },
      (request) => flows.saveFlow(dependencies, flow, request),
    );
  });

  addRoute(host, getFlow, requireRole(dependencies, 'read'), async ({ parameters }) => {
    const { org, flow_name: name } = parameters;
    const flow = await flows.findFlow(dependencies, { org, name });
    if (flow === undefined) throw new ApiError(flowNotFound);
    const { description, visibility, template, repoUrl } = flow;
    return {
      status: 200,
      body: {
        ...{ name, org, description, template: [...template], tags: {} },
        ...(visibility === undefined || visibility === null ? {} : { visibility }),
        ...(repoUrl === undefined || repoUrl === null ? {} : { repo_url: repoUrl }),
      },
    };
  });
}
