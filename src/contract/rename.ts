import { defineEndpoint } from './endpoint.ts';
import { accessErrors, commonErrors, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { environmentName, flowName, orgName } from './names.ts';
import { Type } from './schema.ts';

/** What both requests have in common. */
const renaming = {
  origin: 'observed',
  method: 'PUT',
  repetition: { effect: 'idempotent' },
  allowsArchived: true,
  success: [
    {
      status: 200,
      description: 'It has the new name, and can be found by the old one until something else has that.',
      schema: Type.String(),
    },
  ],
} as const;

export const renameFlow = defineEndpoint({
  ...renaming,
  title: 'Rename flow',
  path: '/flows/{org}/{flow_name}/rename',
  parameters: Type.Object({ org: orgName, flow_name: flowName }),
  body: { kind: 'json', schema: Type.Object({ new_name: flowName }, { additionalProperties: false }) },
  errors: [...accessErrors, namedFlowNotFound, commonErrors.conflict],
});

export const renameEnvironment = defineEndpoint({
  ...renaming,
  title: 'Rename environment',
  path: '/environments/{org}/{env_name}/rename',
  parameters: Type.Object({ org: orgName, env_name: environmentName }),
  body: { kind: 'json', schema: Type.Object({ new_name: environmentName }, { additionalProperties: false }) },
  errors: [...accessErrors, namedEnvironmentNotFound, commonErrors.conflict],
});
