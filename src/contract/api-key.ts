import { defineEndpoint, noQuery, type Choice } from './endpoint.ts';
import { accessErrors, commonErrors } from './errors.ts';
import { keyExpiryHeader } from './key-expiry-header.ts';
import { maximumTimestamp } from './limits.ts';
import { lastAdmin, memberNotFound } from './member.ts';
import { orgName, serviceAccountName, userName } from './names.ts';
import { Type, type Static } from './schema.ts';
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
const keyPayload = Type.Object(
  {
    description: Type.Optional(Type.String({ maxLength: 1000, description: 'What the key is for.' })),
    expires_at: requestedExpiry(`in ${defaultKeyDays} days`),
  },
  { additionalProperties: false },
);

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

/** An API key, without its secret. */
export type ApiKeyResponse = Static<typeof apiKey>;

/** A new API key. This response is the only one that shows it. */
export const createdApiKey = Type.Object({
  ...keyFields,
  key: Type.String({
    description: 'Shown once; the service keeps only a hash of it. Empty in the answer to a repeated request.',
  }),
});

/** A new API key. */
export type CreatedApiKeyResponse = Static<typeof createdApiKey>;

/** The response if the owner has no such key, or it is revoked (observed on the wire). */
export const apiKeyNotFound = {
  status: 404,
  message: 'API key not found',
  when: 'The owner has no key with that id, or it was revoked.',
} as const;

/** The rule that an expiry time in the past breaks. */
export const alreadyExpired = `must be in the future, or 0 for a key that lives ${defaultKeyDays} days`;

const keyId = Type.String({ pattern: '^[a-zA-Z0-9]{4,64}$', description: 'The public part of the key.' });
const accountPath = Type.Object({ org: orgName, name: serviceAccountName });
const accountKeyPath = Type.Object({ org: orgName, name: serviceAccountName, key_id: keyId });
const memberPath = Type.Object({ org: orgName, user: userName });
const memberKeyPath = Type.Object({ org: orgName, user: userName, key_id: keyId });

const expiryWarning: Choice = {
  subject: 'a key that expires within 30 days',
  choice: `every answer to it says when, in the header \`${keyExpiryHeader}\` (a Date of RFC 9651), and the action warns`,
  source: 'a step must not fail without a warning; GitHub and Sonar announce the end of a token in the same way',
};

const byAdmins: Choice = {
  subject: 'who may see and change keys',
  choice: 'admins of the organization',
  source: 'a key gives its owner access',
};
const appended = {
  effect: 'appends',
  volatile: [],
  remedy: 'Look at the keys of the owner, revoke the one that was created, and send the request again.',
} as const;
const revocation = { effect: 'idempotent', alreadyDone: apiKeyNotFound } as const;

/** Create a key of a service account. Only this response shows it. */
export const createServiceAccountKey = defineEndpoint({
  origin: 'observed',
  title: 'Create API key of a service account',
  method: 'POST',
  path: '/service-accounts/{org}/{name}/api-keys',
  parameters: accountPath,
  query: noQuery,
  body: { kind: 'json', schema: keyPayload },
  repetition: appended,
  success: [{ status: 201, description: 'The key was created.', schema: createdApiKey }],
  errors: [...accessErrors, serviceAccountNotFound, commonErrors.conflict],
  authentication: ['bearer'],
  choices: [
    byAdmins,
    expiryWarning,
    {
      subject: 'the answer to a request that is repeated with the same `Idempotency-Key`',
      choice: 'the first answer with an empty `key`',
      source: 'the service stores only a hash of a key, so it cannot show it again',
    },
    { subject: 'an `expires_at` in the past', choice: '400', source: 'such a key would never be of use' },
    {
      subject: '`expires_at` left out, or 0',
      choice: `the key expires after ${defaultKeyDays} days, and the answer says when; no key lives forever`,
      source: 'a key that was forgotten must stop working; GitHub limits its fine-grained tokens in the same way',
    },
    {
      subject: `an \`expires_at\` more than ${maximumKeyDays} days ahead`,
      choice: '400, with the latest time that is accepted',
      source: 'a shorter life than the one that was asked for must not come as a surprise',
    },
  ],
});

/** List the keys of a service account. */
export const listServiceAccountKeys = defineEndpoint({
  origin: 'observed',
  title: 'List API keys of a service account',
  method: 'GET',
  path: '/service-accounts/{org}/{name}/api-keys',
  parameters: accountPath,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The keys that are not revoked, oldest first.', schema: Type.Array(apiKey) }],
  errors: [...accessErrors, serviceAccountNotFound],
  authentication: ['bearer'],
  choices: [
    { subject: 'revoked keys', choice: 'not listed', source: 'the response has no field that tells them apart' },
    {
      subject: '`last_used_at`',
      choice: 'written at most every five minutes for each key',
      source: 'a request must not cost a write because of it',
    },
  ],
});

/** Get a key of a service account. */
export const getServiceAccountKey = defineEndpoint({
  origin: 'observed',
  title: 'Get API key of a service account',
  method: 'GET',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
  parameters: accountKeyPath,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The key.', schema: apiKey }],
  errors: [...accessErrors, serviceAccountNotFound, apiKeyNotFound],
  authentication: ['bearer'],
  choices: [byAdmins],
});

/** The default grace period of a rotated key, in hours. */
export const defaultGraceHours = 24;

/** Replace a key of a service account with a new one. Only this response shows it. */
export const rotateServiceAccountKey = defineEndpoint({
  origin: 'observed',
  title: 'Rotate API key of a service account',
  method: 'POST',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}/rotate',
  parameters: accountKeyPath,
  query: noQuery,
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        grace_period_hours: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 720,
            description: `How long the previous key works. Default: ${defaultGraceHours}.`,
          }),
        ),
        expires_at: requestedExpiry('the new key gets the lifetime that the previous key was created with'),
      },
      { additionalProperties: false },
    ),
  },
  repetition: appended,
  success: [
    {
      status: 201,
      description: 'The new key was created; the previous one works until the grace period ends.',
      schema: Type.Object({
        ...createdApiKey.properties,
        grace_period_expires_at: Type.Number({ description: 'When the previous key stops working, in Unix seconds.' }),
      }),
    },
  ],
  errors: [...accessErrors, serviceAccountNotFound, apiKeyNotFound, commonErrors.conflict],
  authentication: ['bearer'],
  choices: [
    {
      subject: '`grace_period_hours`',
      choice: '24 if it is left out, 720 at most; with 0 the previous key stops working at once',
      source: 'a day is enough to store the new key where it is used',
    },
    {
      subject: 'a rotation without `expires_at`',
      choice: `the new key gets the lifetime that the previous one was created with, ${maximumKeyDays} days at most`,
      source: 'whoever chose short-lived keys wants their successors to be short-lived, too',
    },
    {
      subject: 'a key that was rotated already',
      choice: 'may be rotated again, until it is revoked; each new key gets the lifetime that the key was created with',
      source: 'the public client sends a rotation again if the answer, which alone shows the new key, is lost',
    },
    {
      subject: 'a key that expires within the grace period',
      choice: 'expires as before',
      source: 'rotating a key must not make it live longer',
    },
  ],
});

/** Revoke a key of a service account. */
export const revokeServiceAccountKey = defineEndpoint({
  origin: 'observed',
  title: 'Revoke API key of a service account',
  method: 'DELETE',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
  parameters: accountKeyPath,
  query: noQuery,
  body: { kind: 'none' },
  repetition: revocation,
  success: [{ status: 200, description: 'The key was revoked.', schema: Type.Literal('revoked') }],
  errors: [...accessErrors, serviceAccountNotFound, apiKeyNotFound, commonErrors.conflict],
  authentication: ['bearer'],
  choices: [{ subject: 'when a revocation takes effect', choice: 'at once', source: 'a leaked key must stop working' }],
});

/** Create a personal key of a member. Only this response shows it. */
export const createMemberKey = defineEndpoint({
  origin: 'ours',
  title: 'Create API key of a member',
  method: 'POST',
  path: '/organizations/{org}/members/{user}/api-keys',
  parameters: memberPath,
  query: noQuery,
  body: { kind: 'json', schema: keyPayload },
  repetition: appended,
  success: [{ status: 201, description: 'The key was created.', schema: createdApiKey }],
  errors: [...accessErrors, memberNotFound, commonErrors.conflict],
  authentication: ['bearer'],
  choices: [
    byAdmins,
    {
      subject: 'the organizations that a new personal key opens',
      choice: 'only this one; a key that admins create for themselves opens what the key that they send opens',
      source: 'an admin must not get access to the other organizations of a member',
    },
  ],
});

/** List the personal keys of a member. */
export const listMemberKeys = defineEndpoint({
  origin: 'ours',
  title: 'List API keys of a member',
  method: 'GET',
  path: '/organizations/{org}/members/{user}/api-keys',
  parameters: memberPath,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The keys that are not revoked, oldest first.', schema: Type.Array(apiKey) }],
  errors: [...accessErrors, memberNotFound],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'keys that were created in another organization',
      choice: 'not listed, although they may open this one; removing the member ends their access',
      source: 'they belong to the other organization',
    },
  ],
});

/** Revoke a personal key of a member. */
export const revokeMemberKey = defineEndpoint({
  origin: 'ours',
  title: 'Revoke API key of a member',
  method: 'DELETE',
  path: '/organizations/{org}/members/{user}/api-keys/{key_id}',
  parameters: memberKeyPath,
  query: noQuery,
  body: { kind: 'none' },
  repetition: revocation,
  success: [{ status: 200, description: 'The key was revoked.', schema: Type.Literal('revoked') }],
  errors: [...accessErrors, memberNotFound, apiKeyNotFound, lastAdmin],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the last valid key of the last admin who has one',
      choice: 'cannot be revoked (409)',
      source: 'nobody could administer the organization any more',
    },
  ],
});
