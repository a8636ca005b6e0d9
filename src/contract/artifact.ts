import { decisive, tolerant, Type, type Static } from './schema.ts';
import { defineEndpoint } from './endpoint.ts';
import { commonErrors, flowNotFound } from './errors.ts';
import {
  abbreviatedFingerprint,
  attestationId,
  commitSha,
  fingerprint,
  flowName,
  orgName,
  trailName,
} from './names.ts';

const freeForm = Type.Record(Type.String(), Type.Unknown());
const timestampText = tolerant(
  Type.Optional(Type.String({ description: 'Unix seconds as a numeric string.' })),
  Type.Optional(Type.Union([Type.String(), Type.Number()])),
);

/** How long an artifact took to each environment, by the name of the environment. */
const leadTimes = Type.Record(Type.String(), Type.Integer({ description: 'Whole seconds.' }));

/** Where an artifact runs or ran. */
export const environmentAppearance = Type.Object({
  environment_name: Type.String(),
  snapshot_index: Type.Integer(),
});

/** Something that happened to an artifact. */
export const artifactEvent = Type.Object({ event: Type.String(), timestamp: Type.Number() });

/** The commit of a stored artifact (interface, Artifact). A client requires none of its fields. */
const storedCommitInfo = Type.Object({
  sha1: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  author: Type.Optional(Type.String()),
  author_username: Type.Optional(Type.String()),
  branch: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  signature_state: Type.Optional(Type.String()),
  timestamp: Type.Optional(Type.Integer()),
  parents: Type.Optional(Type.Array(Type.String())),
  verified: Type.Optional(Type.Boolean()),
});

/**
 * An artifact as the service answers it (interface, Artifact). Only what identifies it is required here: a client that
 * insisted on more would turn an older or newer service's answer into an error. The gate checks `state`, because it has
 * its own words for a missing or an unknown one.
 */
export const artifact = Type.Object({
  id: decisive(Type.Optional(Type.String())),
  fingerprint,
  filename: Type.Optional(Type.String()),
  created_at: timestampText,
  last_modified_at: timestampText,
  flow_name: decisive(Type.Optional(Type.String())),
  trail_name: decisive(tolerant(Type.Optional(Type.String()), Type.Optional(Type.Union([Type.String(), Type.Null()])))),
  template_reference_name: Type.Optional(Type.String()),
  git_commit: Type.Optional(commitSha),
  git_commit_info: Type.Optional(storedCommitInfo),
  repo_info: Type.Optional(freeForm),
  commit_url: Type.Optional(Type.String()),
  build_url: Type.Optional(Type.String()),
  repo_url: Type.Optional(Type.String()),
  html_url: Type.Optional(Type.String()),
  api_url: Type.Optional(Type.String()),
  evidence: Type.Optional(freeForm),
  commit_lead_times: Type.Optional(leadTimes),
  build_lead_times: Type.Optional(leadTimes),
  external_urls: Type.Optional(freeForm),
  annotations: Type.Optional(freeForm),
  user_data: Type.Optional(Type.Unknown()),
  state: decisive(Type.Optional(Type.String({ description: '`COMPLIANT`, `NON-COMPLIANT` or `INCOMPLETE`.' }))),
  template: Type.Optional(Type.Array(Type.String())),
  state_info: Type.Optional(Type.String({ description: 'Why the artifact is in this state, in words.' })),
  running: Type.Optional(Type.Array(environmentAppearance)),
  exited: Type.Optional(Type.Array(environmentAppearance)),
  history: Type.Optional(Type.Array(artifactEvent)),
});

/** An artifact as the service answers it. */
export type Artifact = Static<typeof artifact>;

/** The answer where the flow is known and the artifact is not. */
export const artifactNotFound = {
  status: 404,
  message:
    "Artifact with fingerprint '{fingerprint}' does not exist in flow '{flow}' belonging to organization '{org}'",
  when: 'The flow holds no artifact of that fingerprint, or none in the given trail or of the given attestation id.',
} as const;

/** The answer where an abbreviated fingerprint belongs to several artifacts. */
export const fingerprintAmbiguous = {
  status: 400,
  message: "Fingerprint '{fingerprint}' is ambiguous in flow '{flow}': it is the beginning of {count} fingerprints",
  when: 'An abbreviated fingerprint is the beginning of several fingerprints.',
} as const;

/** Operation 10: get an artifact by its fingerprint. */
export const getArtifact = defineEndpoint({
  operation: 'get-artifact',
  number: 10,
  title: 'Get artifact by fingerprint',
  method: 'GET',
  path: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}',
  parameters: Type.Object({ org: orgName, flow_name: flowName, fingerprint: abbreviatedFingerprint }),
  query: Type.Object(
    {
      trail: Type.Optional(trailName),
      attestation_id: Type.Optional(attestationId),
      artifact_id: Type.Optional(attestationId),
    },
    { additionalProperties: false },
  ),
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The artifact.', schema: artifact }],
  errors: [
    commonErrors.validation,
    fingerprintAmbiguous,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    flowNotFound,
    artifactNotFound,
  ],
  authentication: ['bearer'],
  choices: [
    { subject: 'the query name of the trail', choice: '`trail`', source: "the public client's source" },
    {
      subject: 'the query name of the artifact attestation id',
      choice:
        '`attestation_id`, or `artifact_id`; the action sends the former; if both are sent, they must be the same',
      source:
        "the name of the same id in the interface's attestation list, and in the addresses of a real service's pages",
    },
    {
      subject: 'which field of the answer is the artifact attestation id',
      choice: '`id`; where one was asked for, an answer with another id or none is refused',
      source: 'the two have the same form, and a service that ignores the parameter must open no gate',
    },
    {
      subject: 'the entries of `running`, `exited` and `history`',
      choice: '`environment_name` and `snapshot_index`; `event` and `timestamp`',
      source: "the public client's source",
    },
    {
      subject: 'the structure of `commit_lead_times` and `build_lead_times`',
      choice:
        'whole seconds by environment: from the commit (its `timestamp`), or from the report of the artifact, to its first start there; left out if unknown',
      source: 'the interface has two objects, and lead time is what they are named after',
    },
    {
      subject: 'fields of an artifact that were not reported',
      choice: 'left out, except `user_data`, which is null',
      source: 'the interface allows null for `user_data` only',
    },
    {
      subject: 'which snapshot `running` and `exited` name',
      choice: 'the last one that shows the artifact; logical environments are left out',
      source: 'there a reader finds it; it runs in their members',
    },
    {
      subject: 'an abbreviated fingerprint that fits several artifacts',
      choice: '400, with the number of fingerprints in the message',
      source: 'answering with any one of them would be a guess',
    },
    {
      subject: 'one fingerprint reported to several trails',
      choice: 'the latest report answers, unless `trail` or `attestation_id` narrows it',
      source: 'the latest of a name counts, as for attestations',
    },
  ],
});
