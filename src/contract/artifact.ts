import { defineEndpoint, ok } from './endpoint.ts';
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
import { proven } from './proven.ts';
import { reasons } from './reason.ts';
import { decisive, type Static, strictObject, tolerant, Type } from './schema.ts';

const freeForm = Type.Record(Type.String(), Type.Unknown());
const timestampText = tolerant(
  Type.Optional(Type.String({ description: 'Unix seconds as a numeric string.' })),
  Type.Optional(Type.Union([Type.String(), Type.Number()])),
);

/** How long the artifact took to reach each environment, by environment name. */
const leadTimes = Type.Record(Type.String(), Type.Integer({ description: 'Whole seconds.' }));

/** Where an artifact runs or ran. */
export const environmentAppearance = Type.Object({
  environment_name: Type.String(),
  snapshot_index: Type.Integer(),
});

/** Something that happened to an artifact. */
export const artifactEvent = Type.Object({ event: Type.String(), timestamp: Type.Number() });

/** The commit of a stored artifact (interface, Artifact). No field is required. */
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
 * An artifact as the service returns it (interface, Artifact). Only the field that identifies it is required: a client
 * that required more would reject the response of an older or newer service. The gate checks `state` itself, because it
 * reports a missing or unknown state with its own message.
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
  proven: Type.Optional(proven),
  state: decisive(Type.Optional(Type.String({ description: '`COMPLIANT`, `NON-COMPLIANT` or `INCOMPLETE`.' }))),
  template: Type.Optional(Type.Array(Type.String())),
  state_info: Type.Optional(Type.String({ description: 'Why the artifact is in this state, in words.' })),
  reasons: Type.Optional(reasons),
  running: Type.Optional(Type.Array(environmentAppearance)),
  exited: Type.Optional(Type.Array(environmentAppearance)),
  history: Type.Optional(Type.Array(artifactEvent)),
});

export type Artifact = Static<typeof artifact>;

export const artifactNotFound = {
  status: 404,
  message:
    "Artifact with fingerprint '{fingerprint}' does not exist in flow '{flow}' belonging to organization '{org}'",
  when: 'The flow has no artifact with that fingerprint, or none in the given trail or with the given attestation id.',
} as const;

export const fingerprintAmbiguous = {
  status: 400,
  message: "Fingerprint '{fingerprint}' is ambiguous in flow '{flow}': it is the beginning of {count} fingerprints",
  when: 'An abbreviated fingerprint is the beginning of several fingerprints.',
} as const;

export const getArtifact = defineEndpoint('GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}', {
  operation: 'get-artifact',
  number: 10,
  title: 'Get artifact by fingerprint',
  parameters: Type.Object({ org: orgName, flow_name: flowName, fingerprint: abbreviatedFingerprint }),
  query: strictObject({
    trail: Type.Optional(trailName),
    attestation_id: Type.Optional(attestationId),
    artifact_id: Type.Optional(attestationId),
  }),
  success: [ok('The artifact.', artifact)],
  errors: [
    commonErrors.validation,
    fingerprintAmbiguous,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    flowNotFound,
    artifactNotFound,
  ],
});
