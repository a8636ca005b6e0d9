import { defineEndpoint, ok } from './endpoint.ts';
import { commonErrors } from './errors.ts';
import { Type } from './schema.ts';

export const accessDenied = {
  status: 403,
  message: 'Access denied to /api/v2/user/{org}',
  when: 'The calling user is not a member of the organization, or there is none of that name.',
} as const;

export const getDefaultOrg = defineEndpoint('GET /user/default-org', {
  origin: 'observed',
  title: 'Get default organization',
  success: [
    ok(
      'The default organization.',
      Type.Object({ default_org_name: Type.String({ description: 'Empty if there is none.' }) }),
    ),
  ],
});

export const setDefaultOrg = defineEndpoint('PUT /user/{org}', {
  operation: 'set-default-org',
  number: 16,
  title: 'Set default organization',
  repetition: { effect: 'idempotent' },
  success: [
    ok('The organization is now the default.', Type.Object({ default_org_name: Type.Optional(Type.String()) })),
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, accessDenied],
});
