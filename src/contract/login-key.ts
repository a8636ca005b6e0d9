import { apiKeyNotFound } from './api-key.ts';
import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { pageQuery, pagination } from './paging.ts';
import { proven } from './proven.ts';
import { type Static, strictObject, Type } from './schema.ts';

/** A key that a workflow run got when it logged in. */
const loginKeyDetails = Type.Object({
  id: Type.String({ description: 'The public part of the key.' }),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  expires_at: Type.Number({ description: 'Unix seconds.' }),
  rules: Type.Array(Type.String(), { description: 'The names of the login rules that admitted the run.' }),
  proven,
});

export type LoginKeyDetails = Static<typeof loginKeyDetails>;

export const listLoginKeys = defineEndpoint('GET /organizations/{org}/login-keys', {
  title: 'List keys of workflow runs',
  query: strictObject(pageQuery),
  success: [
    ok(
      'The keys of the page that are neither revoked nor expired, the latest first.',
      Type.Object({ data: Type.Array(loginKeyDetails), pagination }),
    ),
  ],
});

export const revokeLoginKey = defineEndpoint('DELETE /organizations/{org}/login-keys/{key_id}', {
  title: 'Revoke key of a workflow run',
  repetition: { effect: 'idempotent' },
  success: [ok('The key was revoked.', Type.Literal('revoked'))],
  errors: [...accessErrors, apiKeyNotFound],
});
