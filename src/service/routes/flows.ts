import { createFlow } from '../../contract/flow.ts';
import { maximumTemplateNames } from '../../contract/limits.ts';
import { requiredEvidence } from '../../contract/template.ts';
import { unixSeconds } from '../domain/sources.ts';
import { keyHolder } from './authorization.ts';
import { invalid } from './refusal.ts';
import { addRoute, type RouteHost } from './route.ts';
import type { Services } from './services.ts';

/** Operation 1: create or update a flow. The payload replaces all of the flow; what it leaves out is unset. */
export function addFlowRoutes(host: RouteHost, services: Services): void {
  const { store, now } = services;
  addRoute(host, createFlow, keyHolder(services, 'record'), async ({ parameters, document }) => {
    const { name, description, template, visibility, repo_url: repoUrl } = document;
    if (requiredEvidence(template).length > maximumTemplateNames) {
      throw invalid(['template', `must not name more than ${maximumTemplateNames} pieces of evidence`]);
    }
    const flow = { org: parameters.org, name, description, template, visibility, repoUrl };
    const saved = await store.saveFlow(flow, unixSeconds(now()));
    return { status: saved === 'created' ? 201 : 200, body: 'OK' };
  });
}
