import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { policyMissing } from './policy.ts';
import { Type } from './schema.ts';

/** What all requests that archive something have in common. */
const archiving = {
  repetition: { effect: 'idempotent' },
  allowsArchived: true,
  success: [ok('Lists leave it out, and nothing is recorded in it any more.')],
} as const;

export const archiveFlow = defineEndpoint('PUT /flows/{org}/{flow_name}/archive', {
  ...archiving,
  origin: 'observed',
  title: 'Archive flow',
  errors: [...accessErrors, namedFlowNotFound],
});

export const archiveEnvironment = defineEndpoint('PUT /environments/{org}/{env_name}/archive', {
  ...archiving,
  origin: 'observed',
  title: 'Archive environment',
  errors: [...accessErrors, namedEnvironmentNotFound],
});

export const archivePolicy = defineEndpoint('PUT /policies/{org}/{policy_name}/archive', {
  ...archiving,
  title: 'Archive policy',
  errors: [...accessErrors, policyMissing],
});

/** The query parameter of lists that leave out what is archived. */
export const archivedQuery = {
  archived: Type.Optional(Type.Boolean({ description: 'True: only what is archived. Default: only what is not.' })),
};

export const archivedField = Type.Boolean({ description: 'Whether it is archived; creating it again ends that.' });
