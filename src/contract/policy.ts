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

/** A policy as the service answers it (interface, Policy). */
export const policy = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  archived: Type.Optional(Type.Boolean()),
  consuming_envs: Type.Optional(Type.Array(Type.String())),
  created_at: Type.Optional(wholeSeconds()),
  created_by: Type.Optional(Type.String()),
  last_modified_at: Type.Optional(wholeSeconds()),
  events: Type.Optional(Type.Array(policyEvent)),
  versions: Type.Optional(Type.Array(policyVersion)),
});

/** A policy as the service answers it. */
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
    remedy:
      'Look at the versions of the policy before you run the job again: if the latest is this file, nothing is left to do, and another upload would add an identical version.',
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
      choice: 'the one of an environment name',
      source: 'both stand side by side in the same lists',
    },
    {
      subject: 'the text part `policy_file`',
      choice: 'the policy itself; empty, it says nothing; beside a file of other content it is a 400 that names it',
      source: 'the interface shows the part and not what it is for; nothing that is sent may be dropped',
    },
    {
      subject: 'the address in `_schema`',
      choice: 'any http(s) address whose path ends in `/v1`; it is not fetched',
      source: 'the public documentation shows such a path, and the host differs between deployments',
    },
    {
      subject: 'the rules of a policy beyond `artifacts.provenance.required`',
      choice:
        '`exceptions`, `trail-compliance` and `attestations`; unknown keys are refused, and a list has at most 100 entries',
      source: 'the public documentation; a misspelt rule would be one that nobody applies',
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
      choice: "RE2's: no back references and no lookaround, and matching takes time in proportion to the text",
      source: 'the public documentation shows patterns that every syntax shares',
    },
    {
      subject: 'a policy that takes too much work to judge by',
      choice: 'the environment is not compliant, and its page and notification name the limit',
      source: 'what is not proven is never a pass',
    },
    {
      subject: 'an upload that changes nothing but the comment',
      choice: 'a new version, because the comment is part of it',
      source: 'a version is what was uploaded, when and by whom',
    },
    {
      subject: 'what a new version does',
      choice: 'it judges the environments that use the policy anew and makes a snapshot of each',
      source: 'as attaching does',
    },
    {
      subject: 'an artifact that several flows know',
      choice: 'it must be COMPLIANT in each of them; an attestation may stand in any of them',
      source: 'a trail that is not compliant is a fault wherever it is; evidence is evidence wherever it is',
    },
    {
      subject: 'when new evidence changes a verdict',
      choice: 'at once, with a new snapshot, and not with the next report',
      source: 'a reader expects the verdict to follow the evidence',
    },
    {
      subject: 'the types of `events` beyond `policy_created`',
      choice: '`policy_updated`, `policy_attached` and `policy_detached`, the latter two with `data.environment`',
      source: 'the form of the one that is shown',
    },
    {
      subject: '`archived`',
      choice: 'false: nothing in the interface archives a policy',
      source: 'the interface shows the field only',
    },
    {
      subject: 'the length of the answer',
      choice:
        'the latest 1000 versions and events, and `policy_yaml` of the latest version, and of those before it up to 1 MiB together',
      source: 'an answer must not grow without end',
    },
  ],
});

/** The answer if there is no policy of that name. */
export const policyMissing = {
  status: 404,
  message: "Policy '{policy}' does not exist in organization '{org}'",
  when: 'The organization has no policy of that name.',
} as const;

/**
 * Get a policy. Not one of the sixteen operations: `create-policy` looks here whether an upload that had no answer is on
 * record, and a service without it is no worse off.
 */
export const getPolicy = defineEndpoint({
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
      choice: "the public client's form, with the answer of operation 6",
      source:
        "the public client's source; the interface says that the policy is returned on retrieval and shows no way",
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
      choice: '201; the client takes 200 as well',
      source: 'the public client takes any success',
    },
    {
      subject: 'attaching a policy that is attached already',
      choice: 'success, and nothing changes',
      source: 'the request asks for a state that is there',
    },
    {
      subject: 'what attaching and detaching make',
      choice: 'a new snapshot, judged anew; none where nothing was ever reported, because there is nothing to show',
      source: 'the public documentation',
    },
    {
      subject: 'the errors of attaching',
      choice: 'those of detaching, with the common message for a missing permission',
      source: 'the same things can be missing',
    },
  ],
});

/** The answer where a key's role may not detach a policy (interface, Errors). */
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
  repetition: { effect: 'idempotent', alreadyDone: environmentOrPolicyNotFound },
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
      choice: '404 `Environment or policy not found`, and nothing changes',
      source: 'the environment has no such policy; a typing error must not look like a success',
    },
  ],
});
