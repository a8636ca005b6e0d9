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
  choices: [
    {
      subject: 'the default organization of a service account',
      choice: 'none, as in operation 16',
      source: 'the interface speaks of the calling user',
    },
    {
      subject: 'the default organization of a key that opens one organization only',
      choice: 'that organization',
      source: 'the key is of no use in any other',
    },
  ],
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
  choices: [
    {
      subject: 'the response to a user who is not a member',
      choice: '403 `Access denied to …`',
      source: "the public client's source",
    },
    {
      subject: 'a key of a service account',
      choice: '403 as well: a machine has no default organization',
      source: 'the interface speaks of the calling user',
    },
    {
      subject: 'where the default organization is used',
      choice: 'on the page `/` of the service, which shows it first; requests always name their organization',
      source: 'every other operation has the organization in its path',
    },
    {
      subject: 'how users are identified',
      choice: 'by a name that is unique in the service: the same name is the same user in every organization',
      source: "the public client uses one personal key with all of the user's organizations",
    },
  ],
});
