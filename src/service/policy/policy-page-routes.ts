import { orgName, policyName } from '../../contract/names.ts';
import { policyMissing } from '../../contract/policy.ts';
import { Type } from '../../contract/schema.ts';
import { findPolicy, listPolicies } from './policy-use-cases.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import { toPolicyListPage, toPolicyPage } from './policy-page.ts';

const version = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }));

/** Adds the list of policies, and the page of a policy. */
export function addPolicyPages(host: PageHost): void {
  const { dependencies } = host;

  addPage(host, { url: '/:org/policies', path: orgPath, query: Type.Object({}) }, async ({ path: { org }, context }) =>
    toPolicyListPage(context, org, await listPolicies(dependencies, { org })),
  );

  const path = Type.Object({ org: orgName, policy_name: policyName });
  const query = Type.Object({ version, from: version, to: version });
  addPage(host, { url: '/:org/policies/:policy_name', path, query }, async (request) => {
    const { org, policy_name: name } = request.path;
    const { from, to } = request.query;
    const policy = await findPolicy(dependencies, { org, name });
    if (policy === undefined) throw new ApiError(policyMissing, { values: { org, policy: name } });
    const compared = from === undefined || to === undefined ? undefined : { from, to };
    return toPolicyPage(request.context, { policy, version: request.query.version, compared });
  });
}
