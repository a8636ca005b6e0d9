import { defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { environmentName, flowName } from './names.ts';

/** What both requests have in common. */
const renaming = {
  origin: 'observed',
  repetition: { effect: 'idempotent' },
  allowsArchived: true,
  success: [ok('It has the new name, and can be found by the old one until something else has that.')],
} as const;

export const renameFlow = defineEndpoint('PUT /flows/{org}/{flow_name}/rename', {
  ...renaming,
  title: 'Rename flow',
  body: jsonDocument({ new_name: flowName }),
  errors: [...accessErrors, namedFlowNotFound],
});

export const renameEnvironment = defineEndpoint('PUT /environments/{org}/{env_name}/rename', {
  ...renaming,
  title: 'Rename environment',
  body: jsonDocument({ new_name: environmentName }),
  errors: [...accessErrors, namedEnvironmentNotFound],
});
