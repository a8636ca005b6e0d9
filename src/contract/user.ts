import { Type } from './schema.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { commonErrors } from './errors.ts';
import { orgName } from './names.ts';

/** The response to a user who is not a member of the organization. */
export const accessDenied = {
  status: 403,
  message: 'Access denied to /api/v2/user/{org}',
  when: 'The calling user is not a member of the organization, or there is none of that name.',
} as const;

/** Get the default organization of the calling user. Not one of the sixteen operations. */
export const getDefaultOrg = defineEndpoint({
  origin: 'observed',
  title: 'Get default organization',
  method: 'GET',
  path: '/user/default-org',
  parameters: Type.Object({}),
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [
    {
      status: 200,
      description: 'The default organization.',
      schema: Type.Object({ default_org_name: Type.String({ description: 'Empty if there is none.' }) }),
    },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, commonErrors.forbidden],
  authentication: ['bearer'],
});

/** Operation 16: set the default organization of the calling user. */
export const setDefaultOrg = defineEndpoint({
  operation: 'set-default-org',
  number: 16,
  title: 'Set default organization',
  method: 'PUT',
  path: '/user/{org}',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'idempotent' },
  success: [
    {
      status: 200,
      description: 'The organization is now the default.',
      schema: Type.Object({ default_org_name: Type.Optional(Type.String()) }),
    },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, accessDenied],
  authentication: ['bearer'],
});
