import { defineEndpoint } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { orgName } from './names.ts';
import { policy } from './policy.ts';
import { Type } from './schema.ts';

export const listPolicies = defineEndpoint({
  origin: 'observed',
  title: 'List policies',
  method: 'GET',
  path: '/policies/{org}',
  parameters: Type.Object({ org: orgName }),
  success: [{ status: 200, description: 'All policies, sorted by name.', schema: Type.Array(policy) }],
  errors: accessErrors,
});
