import { Type, wholeSeconds, type Static } from './schema.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { commonErrors, environmentOrPolicyNotFound, fileTooLarge } from './errors.ts';
import { maximumDocumentBytes, maximumFileBytes, maximumPolicies } from './limits.ts';
import { environmentName, orgName, policyName } from './names.ts';
import { longText } from './text-fields.ts';

/** The JSON part of a policy upload (interface, Policy upload payload). */
export const policyPayload = Type.Object(
  {
    name: policyName,
    description: Type.Optional(longText()),
    comment: Type.Optional(longText({ description: 'What is new in this version.' })),
    type: Type.Optional(Type.Literal('env')),
  },
  { additionalProperties: false },
);

/** The JSON part of a policy upload. */
export type PolicyPayload = Static<typeof policyPayload>;

/** A version of a policy. */
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

/** A policy as the service returns it. */
export type Policy = Static<typeof policy>;

/** Operation 6: create or update a policy. */
export const createPolicy = defineEndpoint({
  operation: 'create-policy',
  number: 6,
  title: 'Create or update policy',
  method: 'PUT',
  path: '/policies/{org}',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
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
  success: [
    { status: 200, description: 'The policy was updated.', schema: policy },
    { status: 201, description: 'The policy was created.', schema: policy },
  ],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    commonErrors.conflict,
    fileTooLarge,
  ],
  authentication: ['bearer'],
  choices: [
    { subject: 'the status of a creation', choice: '201; 200 for an update', source: "the public client's source" },
    { subject: 'the required fields of `payload`', choice: '`name`', source: 'the rest describes the policy' },
    { subject: 'the values of `type`', choice: '`env` only', source: 'the public client sends no other' },
    {
      subject: 'the pattern of a policy name',
      choice: 'the same as for an environment name',
      source: 'both appear side by side in the same lists',
    },
    {
      subject: 'the text part `policy_file`',
      choice: 'the policy itself if no file is sent; next to a file it is ignored',
      source: 'the interface has both parts in one request, but not the purpose of the text',
    },
    {
      subject: 'the address in `_schema`',
      choice: 'any http(s) URL whose path ends in `/v1`; it is not fetched',
      source: 'the public documentation shows such a path, and the host differs between deployments',
    },
    {
      subject: 'the rules of a policy beyond `artifacts.provenance.required`',
      choice:
        '`exceptions`, `trail-compliance` and `attestations`; unknown keys are rejected, and a list has at most 100 entries',
      source: 'the public documentation; a misspelt rule would silently not be applied',
    },
    {
      subject: 'an update without `description` or `comment`',
      choice: 'the description stays, and the comment is empty',
      source: 'a comment belongs to its version, a description to the policy',
    },
    {
      subject: 'a policy file that is not a policy',
      choice: '400 with the line and the reason in `errors.policy_file`',
      source: 'the public documentation: a YAML error is a 400',
    },
    {
      subject: 'the syntax of patterns in conditions',
      choice: "RE2's: no backreferences, no lookaround, and matching in linear time",
      source: 'the public documentation shows only patterns that every syntax supports',
    },
    {
      subject: 'a policy that takes too much work to evaluate',
      choice: 'the environment is not compliant, and its page and notification name the limit',
      source: 'only a proven pass counts as a pass',
    },
    {
      subject: 'an upload that changes nothing but the comment',
      choice: 'a new version, because the comment is part of it',
      source: 'a version is what was uploaded, when and by whom',
    },
    {
      subject: 'what a new version does',
      choice: 'the environments that use the policy are judged again, and each gets a new snapshot',
      source: 'as when a policy is attached',
    },
    {
      subject: 'an artifact that several flows contain',
      choice: 'it must be COMPLIANT in all of them; an attestation may be in any of them',
      source: 'a trail that is not compliant is a fault in every flow; evidence counts in every flow',
    },
    {
      subject: 'when new evidence changes a verdict',
      choice: 'at once, with a new snapshot, and not only with the next report',
      source: 'a reader expects the verdict to follow the evidence',
    },
    {
      subject: 'the types of `events` beyond `policy_created`',
      choice: '`policy_updated`, `policy_attached` and `policy_detached`, the latter two with `data.environment`',
      source: 'modelled on the one that is shown',
    },
    {
      subject: '`archived`',
      choice: 'false: nothing in the interface archives a policy',
      source: 'the interface shows the field only',
    },
    {
      subject: 'the length of the response',
      choice:
        'the latest 1000 versions and events; `policy_yaml` of the latest version, and of earlier ones up to 1 MiB in total',
      source: 'a response must not grow without limit',
    },
  ],
});

/** The response if there is no policy of that name. */
export const policyMissing = {
  status: 404,
  message: "Policy '{policy}' does not exist in organization '{org}'",
  when: 'The organization has no policy of that name.',
} as const;

/**
 * Get a policy. Not one of the sixteen operations: `create-policy` checks here whether an upload without a response was
 * recorded. It works with a service that does not have this endpoint, too.
 */
export const getPolicy = defineEndpoint({
  origin: 'observed',
  title: 'Get policy',
  method: 'GET',
  path: '/policies/{org}/{policy_name}',
  parameters: Type.Object({ org: orgName, policy_name: policyName }),
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The policy.', schema: policy }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, commonErrors.forbidden, policyMissing],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'reading a policy',
      choice: "the public client's format, with the response of operation 6",
      source:
        "the public client's source; the interface says that a policy is returned on retrieval but shows no endpoint",
    },
  ],
});

/** The names of policies to attach or detach (interface, operations 4 and 5). */
export const policyNames = Type.Object(
  { policy_names: Type.Array(policyName, { minItems: 1, maxItems: maximumPolicies }) },
  { additionalProperties: false },
);

/** Operation 4: attach policies to an environment. */
export const attachPolicy = defineEndpoint({
  operation: 'attach-policy',
  number: 4,
  title: 'Attach policy to environment',
  method: 'POST',
  path: '/environments/{org}/{env_name}/policies',
  parameters: Type.Object({ org: orgName, env_name: environmentName }),
  query: noQuery,
  body: { kind: 'json', schema: policyNames },
  repetition: { effect: 'idempotent' },
  success: [
    { status: 201, description: 'The policies are attached.', schema: Type.String() },
    { status: 200, description: 'The same; not sent by this service.', schema: Type.String() },
  ],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    environmentOrPolicyNotFound,
    commonErrors.conflict,
  ],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the success status of attaching',
      choice: '201; the client also accepts 200',
      source: 'the public client accepts any success',
    },
    {
      subject: 'attaching a policy that is already attached',
      choice: 'success, and nothing changes',
      source: 'the requested state already exists',
    },
    {
      subject: 'the effect of attaching and detaching',
      choice: 'a new snapshot with a new verdict; none if nothing was ever reported, because there is nothing to show',
      source: 'the public documentation',
    },
    {
      subject: 'the errors of attaching',
      choice: 'those of detaching, with the common message for a missing permission',
      source: 'the same resources can be missing',
    },
  ],
});

/** The response if the role of the API key may not detach policies (interface, Errors). */
export const detachForbidden = {
  status: 403,
  message: 'User does not have permission to detach policy',
  when: 'The API key belongs to another organization, or its role may not detach policies.',
} as const;

/** Operation 5: detach policies from an environment. */
export const detachPolicy = defineEndpoint({
  operation: 'detach-policy',
  number: 5,
  title: 'Detach policy from environment',
  method: 'DELETE',
  path: '/environments/{org}/{env_name}/policies',
  parameters: Type.Object({ org: orgName, env_name: environmentName }),
  query: noQuery,
  body: { kind: 'json', schema: policyNames },
  repetition: { effect: 'idempotent' },
  success: [{ status: 200, description: 'The policies are detached.', schema: Type.String() }],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    detachForbidden,
    environmentOrPolicyNotFound,
    commonErrors.conflict,
  ],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'detaching a policy that is not attached',
      choice:
        '200, and nothing changes, as when a policy is attached twice; but if a name belongs to no policy, the answer is 404 and no policy is detached',
      source: 'a job that runs again must not fail, but a misspelt name must not look like a success',
    },
  ],
});
