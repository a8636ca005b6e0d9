import { Type, type Static } from './schema.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { commonErrors, environmentNotFound } from './errors.ts';
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
        description: '`true` is refused: use a policy with `artifacts.provenance.required` instead.',
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

/** The answer where a logical environment includes one that does not exist. */
export const includedEnvironmentNotFound = {
  status: 404,
  message: "Environment named '{environment}' does not exist for organization '{org}'",
  when: '`included_environments` names an environment that the organization does not have.',
} as const;

/** The answer where a policy is named that does not exist. */
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
  choices: [
    { subject: 'the field that carries the kind', choice: '`type`', source: 'observed on the wire' },
    {
      subject: 'the required fields of an environment',
      choice: '`name` and `type`; the rest is kept as it was where an update leaves it out',
      source: 'without these two there is nothing to create',
    },
    {
      subject: 'another kind for an environment that exists',
      choice: '400 with `errors.type`: its snapshots are of the old kind',
      source: 'a report of one kind cannot follow one of another',
    },
    {
      subject: '`included_environments`',
      choice: 'for the kind `logical` only; each exists and is not logical itself, so that there are no circles',
      source: 'the public documentation: a logical environment groups physical ones',
    },
    {
      subject: '`policies`',
      choice:
        'replaces the policies that are attached, and keeps them where it is left out; for admins and members only',
      source: 'who may only report an environment must not decide what judges it',
    },
    {
      subject: 'how many members and policies an environment has',
      choice: '100 members and 20 policies at most',
      source: 'a change to any of them is work for the environment',
    },
    {
      subject: 'the verdict of a logical environment',
      choice: 'that of its own policies over all that runs in its members, and false where a member is not compliant',
      source: 'the whole is not better than its parts',
    },
    {
      subject: '`require_provenance`',
      choice:
        '`true` is refused with 400, and `false` changes nothing; the action refuses to send it and names `policies`',
      source: 'the interface deprecates it, and a rule that nobody applies must not look as if it were in force',
    },
    {
      subject: '`include_scaling`',
      choice: 'taken and without effect; the action refuses to send it',
      source: 'the interface calls it ignored',
    },
  ],
});

/** A pod of a report (interface, K8S report payload). `owners` is beyond the interface, observed on the wire. */
export const reportedPod = Type.Object(
  {
    creationTimestamp: Type.Integer({ description: 'Unix seconds.' }),
    digests: Type.Record(lineText(), Type.String({ pattern: '^[a-f0-9]{64}$' }), {
      description: 'The SHA-256 of each image, by the name of the image.',
    }),
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

/** What runs in a Kubernetes cluster (interface, K8S report payload). */
export const k8sReport = Type.Object({ artifacts: Type.Array(reportedPod) }, { additionalProperties: false });

/** What runs in a Kubernetes cluster. */
export type K8sReport = Static<typeof k8sReport>;

/** The answer to a report that is malformed, or is for an environment of another kind. */
export const invalidReport = {
  status: 400,
  message: 'Invalid report data',
  when: 'The report does not have the declared form, or the environment is not of the kind `K8S`.',
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
      description: 'The report was processed, and no new snapshot is made: nothing has changed.',
      schema: Type.String(),
    },
    { status: 201, description: 'The report was processed, and made a new snapshot.', schema: Type.String() },
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
      subject: 'the status of the second success answer',
      choice: '201 for a report that made a snapshot',
      source: 'it creates something; 200 and 201 are the only success statuses on the wire',
    },
    {
      subject: 'the required fields of a pod',
      choice: 'the four of the interface; `podName` is not empty, and `digests` may be',
      source: 'the interface lists them, and an instance needs a name',
    },
    {
      subject: 'a pod that a report lists twice',
      choice: 'one instance; the last one counts',
      source: 'a namespace has one pod of a name',
    },
    {
      subject: 'a report for an environment of another kind',
      choice: '400 `Invalid report data`, with `errors` that name the kind',
      source: 'the report is not valid for it',
    },
    {
      subject: 'what makes a new snapshot',
      choice:
        'other images or digests than before; not other pods or another number of them, which the current snapshot shows as they were reported last',
      source: 'the interface: scaling events are no longer recorded',
    },
    {
      subject: 'the size of a report',
      choice: 'at most 5000 images, by name and digest, and any number of pods that fits the document',
      source: 'an honest cluster runs fewer, and each is work',
    },
    {
      subject: 'when the logical environments follow that show the environment',
      choice: 'at once if they are few, else within moments, and always before one of them is read',
      source: 'a report must not take longer for everyone who looks at it',
    },
    {
      subject: '`owners` of a pod',
      choice: 'taken as a list or null, and not stored',
      source: 'observed on the wire; no answer shows it',
    },
    {
      subject: 'the largest report',
      choice: '16 MiB, and a million keys and values, which is more than 20,000 pods',
      source: 'large clusters have 10,000 pods and more, and a report is one document',
    },
    {
      subject: 'the words for any request without the declared form',
      choice: '`Invalid report data`, with the fields in `errors`',
      source: 'the interface shows them for this operation',
    },
  ],
});
