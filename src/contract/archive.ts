import { defineEndpoint } from './endpoint.ts';
import { accessErrors, commonErrors, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { environmentName, flowName, orgName, policyName } from './names.ts';
import { policyMissing } from './policy.ts';
import { Type } from './schema.ts';

/** What all requests that archive something have in common. */
const archiving = {
  method: 'PUT',
  repetition: { effect: 'idempotent' },
  allowsArchived: true,
  success: [
    { status: 200, description: 'Lists leave it out, and nothing is recorded in it any more.', schema: Type.String() },
  ],
} as const;

export const archiveFlow = defineEndpoint({
  ...archiving,
  origin: 'observed',
  title: 'Archive flow',
  path: '/flows/{org}/{flow_name}/archive',
  parameters: Type.Object({ org: orgName, flow_name: flowName }),
  errors: [...accessErrors, namedFlowNotFound, commonErrors.conflict],
});

export const archiveEnvironment = defineEndpoint({
  ...archiving,
  origin: 'observed',
  title: 'Archive environment',
  path: '/environments/{org}/{env_name}/archive',
  parameters: Type.Object({ org: orgName, env_name: environmentName }),
  errors: [...accessErrors, namedEnvironmentNotFound, commonErrors.conflict],
});

export const archivePolicy = defineEndpoint({
  ...archiving,
  origin: 'ours',
  title: 'Archive policy',
  path: '/policies/{org}/{policy_name}/archive',
  parameters: Type.Object({ org: orgName, policy_name: policyName }),
  errors: [...accessErrors, policyMissing, commonErrors.conflict],
});

/** The query parameter of lists that leave out what is archived. */
export const archivedQuery = {
  archived: Type.Optional(Type.Boolean({ description: 'True: only what is archived. Default: only what is not.' })),
};

/** The field of what can be archived. */
export const archivedField = Type.Boolean({ description: 'Whether it is archived; creating it again ends that.' });
