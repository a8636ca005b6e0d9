import { flowNotFound } from '../../../contract/errors.ts';
import { createFlow, getFlow } from '../../../contract/flow.ts';
import { maximumTemplateNames } from '../../../contract/limits.ts';
import { requiredEvidence } from '../../../contract/template.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import { requireRole } from '../authentication/authentication.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { Dependencies } from '../dependencies.ts';

/** Operation 1: create or update a flow, whose payload replaces all of it; and reading one. */
export function addFlowRoutes(host: RouteHost, dependencies: Dependencies): void {
  const { store, now } = dependencies;
  addRoute(host, createFlow, requireRole(dependencies, 'record'), async ({ parameters, document }) => {
    const { name, description, template, visibility, repo_url: repoUrl } = document;
    if (requiredEvidence(template).length > maximumTemplateNames) {
      throw validationError(['template', `must not name more than ${maximumTemplateNames} pieces of evidence`]);
    }
    const flow = { org: parameters.org, name, description, template, visibility, repoUrl };
    const saved = await store.saveFlow(flow, unixSeconds(now()));
    return { status: saved === 'created' ? 201 : 200, body: 'OK' };
  });

  addRoute(host, getFlow, requireRole(dependencies, 'read'), async ({ parameters }) => {
    const { org, flow_name: name } = parameters;
    const flow = await store.findFlow(org, name);
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
