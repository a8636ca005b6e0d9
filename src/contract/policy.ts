import { created, defineEndpoint, ok } from './endpoint.ts';
import {
  accessErrors,
  additionErrors,
  commonErrors,
  environmentOrPolicyNotFound,
  fileTooLarge,
  quotaExceeded,
} from './errors.ts';
import { maximumDocumentBytes, maximumFileBytes, maximumPolicies } from './limits.ts';
import { policyName } from './names.ts';
import { type Static, strictObject, Type, wholeSeconds } from './schema.ts';
import { longText } from './text-fields.ts';

/** The JSON part of a policy upload (interface, Policy upload payload). */
export const policyPayload = strictObject({
  name: policyName,
  description: Type.Optional(longText()),
  comment: Type.Optional(longText({ description: 'What is new in this version.' })),
  type: Type.Optional(Type.Literal('env')),
});

export type PolicyPayload = Static<typeof policyPayload>;

export const policyVersion = Type.Object({
  version: Type.Integer(),
  comment: Type.Optional(Type.String()),
  created_by: Type.Optional(Type.String()),
  timestamp: Type.Optional(wholeSeconds()),
  policy_yaml: Type.Optional(Type.String()),
});

/** Something that happened to a policy. */
export const policyEvent = Type.Object({
  type: Type.String({ description: 'For example `policy_created`.' }),
  timestamp: Type.Optional(wholeSeconds()),
  user: Type.Optional(Type.String()),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/**
 * A policy as the service returns it (interface, Policy). Name and versions show a client that the response is a policy,
 * and not JSON of something else.
 */
export const policy = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  archived: Type.Optional(Type.Boolean()),
  consuming_envs: Type.Optional(Type.Array(Type.String())),
  created_at: Type.Optional(wholeSeconds()),
  created_by: Type.Optional(Type.String()),
  last_modified_at: Type.Optional(wholeSeconds()),
  events: Type.Optional(Type.Array(policyEvent)),
  versions: Type.Array(policyVersion),
});

export type Policy = Static<typeof policy>;

export const createPolicy = defineEndpoint('PUT /policies/{org}', {
  operation: 'create-policy',
  number: 6,
  title: 'Create or update policy',
  body: {
    kind: 'multipart',
    json: { part: 'payload', schema: policyPayload, maximumBytes: maximumDocumentBytes },
    file: { part: 'policy_file', required: true, maximumBytes: maximumFileBytes, tooLarge: fileTooLarge },
  },
  repetition: {
    effect: 'appends',
    volatile: [],
    recordedIn: 'policy versions',
    remedy:
      'Look at the versions of the policy before you run the job again: if the latest one is this file, nothing is left to do, and another upload would add an identical version.',
  },
  success: [ok('The policy was updated.', policy), created('The policy was created.', policy)],
  errors: [...additionErrors, fileTooLarge],
});

export const policyMissing = {
  status: 404,
  message: "Policy '{policy}' does not exist in organization '{org}'",
  when: 'The organization has no policy of that name.',
} as const;

/**
 * Get a policy. Not one of the sixteen operations: `create-policy` checks here whether an upload without a response was
 * recorded. It works with a service that does not have this endpoint, too.
 */
export const getPolicy = defineEndpoint('GET /policies/{org}/{policy_name}', {
  origin: 'observed',
  title: 'Get policy',
  success: [ok('The policy.', policy)],
  errors: [...accessErrors, policyMissing],
});

/** The names of policies to attach or detach (interface, operations 4 and 5). */
export const policyNames = strictObject({
  policy_names: Type.Array(policyName, { minItems: 1, maxItems: maximumPolicies }),
});

export const attachPolicy = defineEndpoint('POST /environments/{org}/{env_name}/policies', {
  operation: 'attach-policy',
  number: 4,
  title: 'Attach policy to environment',
  body: { kind: 'json', schema: policyNames },
  repetition: { effect: 'idempotent' },
  success: [created('The policies are attached.'), ok('The same; not sent by this service.')],
  errors: [...additionErrors, environmentOrPolicyNotFound],
});

/** The response if the role of the API key may not detach policies (interface, Errors). */
export const detachForbidden = {
  status: 403,
  message: 'User does not have permission to detach policy',
  when: 'The API key belongs to another organization, or its role may not detach policies.',
} as const;

export const detachPolicy = defineEndpoint('DELETE /environments/{org}/{env_name}/policies', {
  operation: 'detach-policy',
  number: 5,
  title: 'Detach policy from environment',
  body: { kind: 'json', schema: policyNames },
  repetition: { effect: 'idempotent' },
  success: [ok('The policies are detached.')],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    detachForbidden,
    quotaExceeded,
    environmentOrPolicyNotFound,
  ],
});
