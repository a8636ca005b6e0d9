import { Type, type Static } from './schema.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { commonErrors, environmentNotFound, namedEnvironmentNotFound } from './errors.ts';
import {
  maximumMembers,
  maximumNameLength,
  maximumPolicies,
  maximumReportBytes,
  maximumReportValues,
} from './limits.ts';
import { environmentName, orgName, policyName } from './names.ts';
import { lineText, longText } from './text-fields.ts';

/** The kinds of environments (interface, Environment). */
export const environmentKinds = [
  'K8S',
  'ECS',
  'S3',
  'lambda',
  'server',
  'docker',
  'azure-apps',
  'cloud-run',
  'logical',
] as const;

/** The kind of an environment. */
export type EnvironmentKind = (typeof environmentKinds)[number];

/** The environment as it is created or updated (interface, Environment). */
export const environmentPayload = Type.Object(
  {
    name: environmentName,
    type: Type.Enum(environmentKinds, { description: 'The kind of the environment.' }),
    description: Type.Optional(longText()),
    include_scaling: Type.Optional(
      Type.Boolean({ deprecated: true, description: 'Ignored: scaling events are no longer recorded.' }),
    ),
    require_provenance: Type.Optional(
      Type.Boolean({
        deprecated: true,
        description: 'The same as an attached policy with `artifacts.provenance.required: true`, which replaces it.',
      }),
    ),
    included_environments: Type.Optional(
      Type.Array(environmentName, { maxItems: maximumMembers, description: 'The members of a logical environment.' }),
    ),
    policies: Type.Optional(
      Type.Array(policyName, { maxItems: maximumPolicies, description: 'The policies that are attached to it.' }),
    ),
  },
  { additionalProperties: false },
);

/** The environment as it is created or updated. */
export type EnvironmentPayload = Static<typeof environmentPayload>;

/** The response if a logical environment includes an environment that does not exist. */
export const includedEnvironmentNotFound = {
  ...namedEnvironmentNotFound,
  when: '`included_environments` names an environment that the organization does not have.',
} as const;

/** The response if the request names a policy that does not exist. */
export const policyNotFound = {
  status: 404,
  message: "Policy '{policy}' does not exist in organization '{org}'",
  when: '`policies` names a policy that the organization does not have.',
} as const;

/** Operation 2: create or update an environment. */
export const createEnvironment = defineEndpoint({
  operation: 'create-environment',
  number: 2,
  title: 'Create or update environment',
  method: 'PUT',
  path: '/environments/{org}',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: { kind: 'json', schema: environmentPayload },
  repetition: { effect: 'idempotent' },
  success: [
    { status: 201, description: 'The environment was created or updated.', schema: Type.String() },
    { status: 200, description: 'The same; not sent by this service.', schema: Type.String() },
  ],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    includedEnvironmentNotFound,
    policyNotFound,
    commonErrors.conflict,
  ],
  authentication: ['bearer'],
  deprecatedFields: {
    require_provenance: 'Attach a policy with `artifacts.provenance.required: true` instead.',
    include_scaling: 'It has no effect: scaling events are no longer recorded.',
  },
  choices: [
    { subject: 'the field that carries the kind', choice: '`type`', source: 'observed on the wire' },
    {
      subject: 'the required fields of an environment',
      choice: '`name` and `type`; an update keeps all other fields that it leaves out',
      source: 'nothing can be created without these two',
    },
    {
      subject: 'another kind for an existing environment',
      choice: '400 with `errors.type`, because its snapshots have the old kind',
      source: 'reports of different kinds cannot follow each other',
    },
    {
      subject: '`included_environments`',
      choice:
        'only for the kind `logical`; each must exist and must not be logical itself, so that there are no cycles',
      source: 'the public documentation: a logical environment groups physical ones',
    },
    {
      subject: '`policies`',
      choice: 'replaces the attached policies; if left out, they stay; only admins and members may set it',
      source: 'a role that may only report an environment must not decide which policies judge it',
    },
    {
      subject: 'how many members and policies an environment can have',
      choice: '100 members and 20 policies at most',
      source: 'the service judges the environment again whenever one of them changes',
    },
    {
      subject: 'the verdict of a logical environment',
      choice:
        'the verdict of its own policies over everything that runs in its members; false if a member is not compliant',
      source: 'the whole cannot be better than its parts',
    },
    {
      subject: '`require_provenance`',
      choice:
        '`true` judges the environment as if a policy with `artifacts.provenance.required: true` were attached, which verdicts name `require_provenance: true`; `false` ends that; left out, it stays',
      source: 'the public client sends only `true`, and a job that says nothing about it must not loosen it',
    },
    {
      subject: 'who may set `require_provenance`',
      choice: 'admins and members; `false` from others changes nothing',
      source: 'as for `policies`; and older public clients send `false` with every environment',
    },
    {
      subject: '`include_scaling`',
      choice: 'accepted without effect; the action never sends it',
      source: 'the interface says that it is ignored',
    },
    {
      subject: 'the `Deprecation` header of a deprecated field',
      choice: '1 January 2026, if a request has the field with another value than `false`',
      source: 'as for a deprecated operation',
    },
  ],
});

/** The fields of everything that a report lists, of whatever kind the environment is. */
export const reportedImages = {
  creationTimestamp: Type.Integer({ description: 'Unix seconds.' }),
  digests: Type.Record(lineText(), Type.String({ pattern: '^[a-f0-9]{64}$' }), {
    description: 'The SHA-256 of each image, by the name of the image.',
  }),
};

/** A pod of a report (interface, K8S report payload). `owners` is beyond the interface, observed on the wire. */
export const reportedPod = Type.Object(
  {
    ...reportedImages,
    namespace: Type.String({ maxLength: maximumNameLength }),
    podName: Type.String({ minLength: 1, maxLength: maximumNameLength }),
    owners: Type.Optional(
      Type.Union([Type.Array(Type.Record(Type.String(), Type.Unknown())), Type.Null()], {
        description: 'Kubernetes owner references; null for a pod without an owner.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The pods that run in a Kubernetes cluster (interface, K8S report payload). */
export const k8sReport = Type.Object({ artifacts: Type.Array(reportedPod) }, { additionalProperties: false });

/** The pods that run in a Kubernetes cluster. */
export type K8sReport = Static<typeof k8sReport>;

/** The response to a report that is malformed or is for an environment of another kind. */
export const invalidReport = {
  status: 400,
  message: 'Invalid report data',
  when: 'The report does not conform to the schema, or the environment is of another kind than the report.',
} as const;

/** Operation 3: report what runs in a Kubernetes cluster. */
export const reportK8s = defineEndpoint({
  operation: 'report-k8s',
  number: 3,
  title: 'Report K8S environment',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/report/K8S',
  parameters: Type.Object({ org: orgName, env_name: environmentName }),
  query: noQuery,
  body: { kind: 'json', schema: k8sReport, maximumBytes: maximumReportBytes, maximumValues: maximumReportValues },
  repetition: { effect: 'idempotent' },
  success: [
    {
      status: 200,
      description: 'The report was processed and made no new snapshot, because nothing has changed.',
      schema: Type.String(),
    },
    { status: 201, description: 'The report was processed and made a new snapshot.', schema: Type.String() },
  ],
  errors: [
    invalidReport,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    environmentNotFound,
    commonErrors.conflict,
  ],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the status of the second success response',
      choice: '201 for a report that made a snapshot',
      source: 'it creates something; 200 and 201 are the only success statuses on the wire',
    },
    {
      subject: 'the required fields of a pod',
      choice: 'the four of the interface; `podName` must not be empty, `digests` may be',
      source: 'the interface lists them, and an instance needs a name',
    },
    {
      subject: 'a pod that a report lists twice',
      choice: 'one instance; the last one counts',
      source: 'pod names are unique in a namespace',
    },
    {
      subject: 'a report for an environment of another kind',
      choice: '400 `Invalid report data`; `errors` names the kind',
      source: 'the report is not valid for it',
    },
    {
      subject: 'what makes a new snapshot',
      choice:
        'images or digests that differ from the previous report; different pods or another number of pods only update the current snapshot',
      source: 'the interface: scaling events are no longer recorded',
    },
    {
      subject: 'the size of a report',
      choice: 'at most 5000 images, by name and digest, and any number of pods that fits the document',
      source: 'real clusters run fewer, and each image costs work',
    },
    {
      subject: 'when logical environments that include the environment are updated',
      choice: 'at once if they are few, otherwise within moments, and always before one of them is read',
      source: 'a report must not take longer because many logical environments include the environment',
    },
    {
      subject: '`owners` of a pod',
      choice: 'a list or null is accepted, and not stored',
      source: 'observed on the wire; responses show an empty list',
    },
    {
      subject: 'the largest report',
      choice: '16 MiB and a million keys and values: more than 20,000 pods',
      source: 'large clusters have 10,000 pods and more, and a report is one document',
    },
    {
      subject: 'the message for any request that does not conform to the schema',
      choice: '`Invalid report data`, with the fields in `errors`',
      source: 'the interface shows this message for this operation',
    },
  ],
});
