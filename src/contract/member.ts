import { created, defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { roles } from './role.ts';
import { Type } from './schema.ts';

/** The role of a user or a service account. */
export const role = Type.Enum(roles);

export const memberNotFound = {
  status: 404,
  message: "User '{user}' is not a member of organization '{org}'",
  when: 'The organization has no such member.',
} as const;

export const lastAdmin = {
  status: 409,
  message:
    "Organization '{org}' would be left without an admin who has a valid key; make another member an admin and create a key for that member first",
  when: 'The change would leave no admin with a valid key.',
} as const;

/** A member of an organization. */
export const member = Type.Object({
  user: Type.String(),
  role,
  created_at: Type.Number({ description: 'When the user became a member, in Unix seconds.' }),
});

export const listMembers = defineEndpoint('GET /organizations/{org}/members', {
  title: 'List members',
  success: [ok('All members, sorted by name.', Type.Array(member))],
});

/** Add a user to an organization, or change the role of a member. */
export const saveMember = defineEndpoint('PUT /organizations/{org}/members/{user}', {
  title: 'Create or update member',
  body: jsonDocument({ role }),
  repetition: { effect: 'idempotent' },
  success: [created('The user was added as a member.'), ok('The role of the member was changed.')],
  errors: [...accessErrors, lastAdmin],
});

/** Remove a member. The user's keys lose access to the organization; without any membership they are revoked. */
export const removeMember = defineEndpoint('DELETE /organizations/{org}/members/{user}', {
  title: 'Remove member',
  repetition: { effect: 'idempotent' },
  success: [ok('The user was removed.')],
  errors: [...accessErrors, memberNotFound, lastAdmin],
});
