import { created, defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors, additionErrors } from './errors.ts';
import { maximumTimestamp } from './limits.ts';
import { lastAdmin, memberNotFound } from './member.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { serviceAccountNotFound } from './service-account.ts';

/** How long a key lives if the request does not say when it expires, in days. */
export const defaultKeyDays = 365;

/** The maximum lifetime of a key, in days. A client whose clock is ahead can still ask for a year, or a leap year. */
export const maximumKeyDays = 366;

const seconds = (description: string) => Type.Number({ minimum: 0, maximum: maximumTimestamp, description });

const requestedExpiry = (otherwise: string) =>
  Type.Optional(
    seconds(
      `When it expires, in Unix seconds: at most ${maximumKeyDays} days from now. 0 or nothing means: ${otherwise}.`,
    ),
  );

/** A new API key as it is requested. */
const keyPayload = strictObject({
  description: Type.Optional(Type.String({ maxLength: 1000, description: 'What the key is for.' })),
  expires_at: requestedExpiry(`in ${defaultKeyDays} days`),
});

const keyFields = {
  id: Type.String({ description: 'The public part of the key.' }),
  description: Type.String(),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  expires_at: Type.Number({ description: 'Unix seconds. Every key expires.' }),
};

/** An API key, without its secret. */
export const apiKey = Type.Object({
  ...keyFields,
  last_used_at: Type.Number({ description: 'Unix seconds, to within some minutes; 0 if it was never used.' }),
});

export type ApiKeyResponse = Static<typeof apiKey>;

/** A new API key. This response is the only one that shows it. */
export const createdApiKey = Type.Object({
  ...keyFields,
  key: Type.String({
    description: 'Shown once; the service keeps only a hash of it. Empty in the answer to a repeated request.',
  }),
});

export type CreatedApiKeyResponse = Static<typeof createdApiKey>;

/** The response if the owner has no such key, or it is revoked (observed on the wire). */
export const apiKeyNotFound = {
  status: 404,
  message: 'API key not found',
  when: 'The owner has no key with that id, or it was revoked.',
} as const;

/** The rule that an expiry time in the past breaks. */
export const alreadyExpired = `must be in the future, or 0 for a key that lives ${defaultKeyDays} days`;

const appended = {
  effect: 'appends',
  volatile: [],
  remedy: 'Look at the keys of the owner, revoke the one that was created, and send the request again.',
} as const;

/** Create a key of a service account. Only this response shows it. */
export const createServiceAccountKey = defineEndpoint('POST /service-accounts/{org}/{name}/api-keys', {
  origin: 'observed',
  title: 'Create API key of a service account',
  body: { kind: 'json', schema: keyPayload },
  repetition: appended,
  success: [created('The key was created.', createdApiKey)],
  errors: [...additionErrors, serviceAccountNotFound],
});

export const listServiceAccountKeys = defineEndpoint('GET /service-accounts/{org}/{name}/api-keys', {
  origin: 'observed',
  title: 'List API keys of a service account',
  success: [ok('The keys that are not revoked, oldest first.', Type.Array(apiKey))],
  errors: [...accessErrors, serviceAccountNotFound],
});

export const getServiceAccountKey = defineEndpoint('GET /service-accounts/{org}/{name}/api-keys/{key_id}', {
  origin: 'observed',
  title: 'Get API key of a service account',
  success: [ok('The key.', apiKey)],
  errors: [...accessErrors, serviceAccountNotFound, apiKeyNotFound],
});

/** The default grace period of a rotated key, in hours. */
export const defaultGraceHours = 24;

/** Replace a key of a service account with a new one. Only this response shows it. */
export const rotateServiceAccountKey = defineEndpoint('POST /service-accounts/{org}/{name}/api-keys/{key_id}/rotate', {
  origin: 'observed',
  title: 'Rotate API key of a service account',
  body: jsonDocument({
    grace_period_hours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 720,
        description: `How long the previous key works. Default: ${defaultGraceHours}.`,
      }),
    ),
    expires_at: requestedExpiry('the new key gets the lifetime that the previous key was created with'),
  }),
  repetition: appended,
  success: [
    created(
      'The new key was created; the previous one works until the grace period ends.',
      Type.Object({
        ...createdApiKey.properties,
        grace_period_expires_at: Type.Number({ description: 'When the previous key stops working, in Unix seconds.' }),
      }),
    ),
  ],
  errors: [...additionErrors, serviceAccountNotFound, apiKeyNotFound],
});

export const revokeServiceAccountKey = defineEndpoint('DELETE /service-accounts/{org}/{name}/api-keys/{key_id}', {
  origin: 'observed',
  title: 'Revoke API key of a service account',
  repetition: { effect: 'idempotent' },
  success: [ok('The key was revoked.', Type.Literal('revoked'))],
  errors: [...accessErrors, serviceAccountNotFound, apiKeyNotFound],
});

/** Create a personal key of a member. Only this response shows it. */
export const createMemberKey = defineEndpoint('POST /organizations/{org}/members/{user}/api-keys', {
  title: 'Create API key of a member',
  body: { kind: 'json', schema: keyPayload },
  repetition: appended,
  success: [created('The key was created.', createdApiKey)],
  errors: [...additionErrors, memberNotFound],
});

export const listMemberKeys = defineEndpoint('GET /organizations/{org}/members/{user}/api-keys', {
  title: 'List API keys of a member',
  success: [ok('The keys that are not revoked, oldest first.', Type.Array(apiKey))],
  errors: [...accessErrors, memberNotFound],
});

export const revokeMemberKey = defineEndpoint('DELETE /organizations/{org}/members/{user}/api-keys/{key_id}', {
  title: 'Revoke API key of a member',
  repetition: { effect: 'idempotent' },
  success: [ok('The key was revoked.', Type.Literal('revoked'))],
  errors: [...accessErrors, memberNotFound, apiKeyNotFound, lastAdmin],
});
