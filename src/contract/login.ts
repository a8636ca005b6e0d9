import { created, defineEndpoint } from './endpoint.ts';
import { commonErrors } from './errors.ts';
import { proven } from './proven.ts';
import { Type } from './schema.ts';

/** How long a key from a login lives, in seconds. */
export const loginKeyLifetime = 15 * 60;

/**
 * The maximum number of valid keys of a login rule: 15 minutes of a very busy repository. It limits how fast a workflow
 * can make the audit log grow.
 */
export const maximumLoginKeys = 2000;

export const loginKey = Type.Object({
  id: Type.String({ description: 'The public part of the key.' }),
  key: Type.String(),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  expires_at: Type.Number({ description: 'Unix seconds.' }),
  rules: Type.Array(Type.String(), { description: 'The names of the login rules that admitted the run.' }),
  proven,
});

/** The field of the error 401 for a token that no login rule of the organization is about. */
export const unknownSenderField = 'login rules';

export const loginRefused = {
  status: 403,
  message: "No login rule of organization '{org}' admits this workflow run",
  when: 'The identity token is valid, and login rules name its repository, but the conditions of none hold; `errors` names them.',
} as const;

export const issuerUnavailable = {
  status: 503,
  message: 'The keys of the token issuer {issuer} cannot be fetched; try again later',
  when: 'The token issuer does not answer, or answers with something else than its keys. `Retry-After` says when to try again.',
} as const;

export const tooManyLogins = {
  status: 429,
  message: 'Too many keys of the login rules that admit this run are valid; try again later',
  when: `Every login rule that admits the run has given ${maximumLoginKeys} keys that are still valid. \`Retry-After\` says when to try again.`,
} as const;

export const logIn = defineEndpoint('POST /login/{org}', {
  title: 'Log in with an identity token',
  // A token gives one key: sent again, it is refused and changes nothing.
  repetition: { effect: 'idempotent' },
  success: [created('The run may do what its rules allow, with this key.', loginKey)],
  errors: [commonErrors.validation, commonErrors.unauthenticated, loginRefused, tooManyLogins, issuerUnavailable],
});
