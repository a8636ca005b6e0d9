import { defineEndpoint } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { orgName, userName } from './names.ts';
import { roles } from './role.ts';
import { Type } from './schema.ts';

/** The role of a user or a service account. */
export const role = Type.Enum(roles);

/** The response if the user is not a member. */
export const memberNotFound = {
  status: 404,
  message: "User '{user}' is not a member of organization '{org}'",
  when: 'The organization has no such member.',
} as const;

/** The response to a change that would lock the organization out. */
export const lastAdmin = {
  status: 409,
  message:
    "Organization '{org}' would be left without an admin who has a valid key; make another member an admin and create a key for that member first",
  when: 'The change would leave no admin with a valid key.',
} as const;

const memberPath = Type.Object({ org: orgName, user: userName });

/** A member of an organization. */
export const member = Type.Object({
  user: Type.String(),
  role,
  created_at: Type.Number({ description: 'When the user became a member, in Unix seconds.' }),
});

export const listMembers = defineEndpoint({
  origin: 'ours',
  title: 'List members',
  method: 'GET',
  path: '/organizations/{org}/members',
  parameters: Type.Object({ org: orgName }),
  success: [{ status: 200, description: 'All members, sorted by name.', schema: Type.Array(member) }],
  errors: accessErrors,
});

/** Add a user to an organization, or change the role of a member. */
export const saveMember = defineEndpoint({
  origin: 'ours',
  title: 'Create or update member',
  method: 'PUT',
  path: '/organizations/{org}/members/{user}',
  parameters: memberPath,
  body: { kind: 'json', schema: Type.Object({ role }, { additionalProperties: false }) },
  repetition: { effect: 'idempotent' },
  success: [
    { status: 201, description: 'The user was added as a member.', schema: Type.String() },
    { status: 200, description: 'The role of the member was changed.', schema: Type.String() },
  ],
  errors: [...accessErrors, lastAdmin],
});

/** Remove a member. The user's keys lose access to the organization; without any membership they are revoked. */
export const removeMember = defineEndpoint({
  origin: 'ours',
  title: 'Remove member',
  method: 'DELETE',
  path: '/organizations/{org}/members/{user}',
  parameters: memberPath,
  repetition: { effect: 'idempotent', alreadyDone: memberNotFound },
  success: [{ status: 200, description: 'The user was removed.', schema: Type.String() }],
  errors: [...accessErrors, memberNotFound, lastAdmin],
});
