import { created, defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import {
  accessErrors,
  additionErrors,
  commonErrors,
  environmentNotFound,
  namedEnvironmentNotFound,
  quotaExceeded,
} from './errors.ts';
import {
  maximumMembers,
  maximumNameLength,
  maximumPolicies,
  maximumReportBytes,
  maximumReportValues,
} from './limits.ts';
import { environmentName, policyName } from './names.ts';
import { type Static, strictObject, Type } from './schema.ts';
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

export type EnvironmentKind = (typeof environmentKinds)[number];

/** The environment as it is created or updated (interface, Environment). */
export const environmentPayload = strictObject({
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
});

export type EnvironmentPayload = Static<typeof environmentPayload>;

export const includedEnvironmentNotFound = {
  ...namedEnvironmentNotFound,
  when: '`included_environments` names an environment that the organization does not have.',
} as const;

export const policyNotFound = {
  status: 404,
  message: "Policy '{policy}' does not exist in organization '{org}'",
  when: '`policies` names a policy that the organization does not have.',
} as const;

export const createEnvironment = defineEndpoint('PUT /environments/{org}', {
  operation: 'create-environment',
  number: 2,
  title: 'Create or update environment',
  body: { kind: 'json', schema: environmentPayload },
  repetition: { effect: 'idempotent' },
  success: [created('The environment was created or updated.'), ok('The same; not sent by this service.')],
  errors: [...additionErrors, includedEnvironmentNotFound, policyNotFound],
  deprecatedFields: {
    require_provenance: 'Attach a policy with `artifacts.provenance.required: true` instead.',
    include_scaling: 'It has no effect: scaling events are no longer recorded.',
  },
});

export const joinEnvironment = defineEndpoint('PUT /environments/{org}/{env_name}/join', {
  origin: 'observed',
  title: 'Join environment to a logical one',
  body: jsonDocument({ physical_env_name: environmentName }),
  repetition: { effect: 'idempotent' },
  success: [ok('The logical environment includes it.')],
  errors: [...accessErrors, namedEnvironmentNotFound],
});

/** The fields of everything that a report lists, of whatever kind the environment is. */
export const reportedImages = {
  creationTimestamp: Type.Integer({ description: 'Unix seconds.' }),
  digests: Type.Record(lineText(), Type.String({ pattern: '^[a-f0-9]{64}$' }), {
    description: 'The SHA-256 of each image, by the name of the image.',
  }),
};

/** A pod of a report (interface, K8S report payload). `owners` is beyond the interface, observed on the wire. */
export const reportedPod = strictObject({
  ...reportedImages,
  namespace: Type.String({ maxLength: maximumNameLength }),
  podName: Type.String({ minLength: 1, maxLength: maximumNameLength }),
  owners: Type.Optional(
    Type.Union([Type.Array(Type.Record(Type.String(), Type.Unknown())), Type.Null()], {
      description: 'Kubernetes owner references; null for a pod without an owner.',
    }),
  ),
});

/** The pods that run in a Kubernetes cluster (interface, K8S report payload). */
export const k8sReport = strictObject({ artifacts: Type.Array(reportedPod) });

export type K8sReport = Static<typeof k8sReport>;

export const invalidReport = {
  status: 400,
  message: 'Invalid report data',
  when: 'The report does not conform to the schema, or the environment is of another kind than the report.',
} as const;

export const reportK8s = defineEndpoint('PUT /environments/{org}/{env_name}/report/K8S', {
  operation: 'report-k8s',
  number: 3,
  title: 'Report K8S environment',
  body: { kind: 'json', schema: k8sReport, maximumBytes: maximumReportBytes, maximumValues: maximumReportValues },
  repetition: { effect: 'idempotent' },
  success: [
    ok('The report was processed and made no new snapshot, because nothing has changed.'),
    created('The report was processed and made a new snapshot.'),
  ],
  errors: [invalidReport, commonErrors.unauthenticated, commonErrors.forbidden, quotaExceeded, environmentNotFound],
});
