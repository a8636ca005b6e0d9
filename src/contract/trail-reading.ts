import { externalUrls } from './attestations/attestation-fields.ts';
import { commitResponse, repoInfo } from './commit.ts';
import { artifactStates } from './compliance.ts';
import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, namedFlowNotFound } from './errors.ts';
import { flowName, trailName } from './names.ts';
import { proven } from './proven.ts';
import { reasons } from './reason.ts';
import { decisive, type Static, tolerant, Type } from './schema.ts';

/** The state of a trail. */
export const complianceState = Type.Enum([...artifactStates]);

/** An attestation that is required, reported, or both (observed on the wire). */
const attestationStatus = Type.Object({
  attestation_name: Type.String(),
  attestation_type: Type.String({ description: 'The required type if it is missing; `*` for any.' }),
  attestation_id: Type.Optional(Type.String()),
  status: Type.Enum(['COMPLETE', 'MISSING']),
  is_compliant: Type.Boolean(),
  unexpected: Type.Boolean({ description: 'True if the template does not require it.' }),
});

export type AttestationStatus = Static<typeof attestationStatus>;

const artifactStatus = Type.Object({
  status: Type.Enum([...artifactStates, 'MISSING']),
  is_compliant: Type.Boolean(),
  unexpected: Type.Boolean({ description: 'True if the template does not name it.' }),
  artifact_fingerprint: Type.Optional(Type.String()),
  artifact_id: Type.Optional(Type.String()),
  attestations_statuses: Type.Array(attestationStatus),
});

/** Something that happened to a trail (observed on the wire). */
export const trailEvent = Type.Object({
  type: Type.String({
    description:
      'For example `trail_reported`, `trail_attestation_reported`, `artifact_creation_reported` or `artifact_started_running`.',
  }),
  timestamp: Type.Number({ description: 'Unix seconds.' }),
  git_commit_info: Type.Optional(Type.Object({ sha1: Type.String(), url: Type.Optional(Type.String()) })),
  is_compliant: Type.Optional(Type.Boolean()),
  attestation_id: Type.Optional(Type.String()),
  attestation_type: Type.Optional(Type.String()),
  template_reference_name: Type.Optional(Type.String()),
  target_artifact: Type.Optional(Type.String()),
  artifact_name: Type.Optional(Type.String()),
  artifact_fingerprint: Type.Optional(Type.String()),
  environment_name: Type.Optional(Type.String()),
  snapshot_index: Type.Optional(Type.Integer()),
});

export type TrailEvent = Static<typeof trailEvent>;

/** A trail as the service returns it. */
export const trail = Type.Object({
  name: trailName,
  description: Type.String(),
  flow: flowName,
  compliance_state: complianceState,
  state_info: Type.String({ description: 'Why the trail is in this state, in words.' }),
  reasons: Type.Optional(reasons),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  last_modified_at: Type.Number({ description: 'Unix seconds.' }),
  origin_url: Type.Optional(Type.String()),
  git_commit_info: Type.Optional(commitResponse),
  repo_info: Type.Optional(repoInfo),
  external_urls: Type.Optional(externalUrls),
  user_data: Type.Unknown(),
  proven: Type.Optional(proven),
  html_url: Type.String(),
  template: Type.Union([Type.String(), Type.Array(Type.String())], {
    description: 'The template that applies: the text of a file, or the list of operation 1.',
  }),
  compliance_status: Type.Object({
    status: complianceState,
    is_compliant: Type.Boolean(),
    attestations_statuses: Type.Array(attestationStatus),
    artifacts_statuses: Type.Record(Type.String(), artifactStatus),
  }),
  events: Type.Array(trailEvent),
});

export type TrailResponse = Static<typeof trail>;

/** What a client requires of a trail, and what it shows: its verdict rests on little of the response. */
const judgedTrail = Type.Object({
  name: decisive(Type.Optional(Type.String())),
  flow: decisive(Type.Optional(Type.String())),
  compliance_state: decisive(Type.String()),
  state_info: Type.Optional(Type.String()),
  reasons: Type.Optional(reasons),
  git_commit_info: Type.Optional(
    Type.Object({
      sha1: Type.String(),
      url: Type.Optional(Type.String()),
      author: Type.Optional(Type.String()),
      message: Type.Optional(Type.String()),
    }),
  ),
  html_url: Type.Optional(Type.String()),
  compliance_status: Type.Optional(
    Type.Object({
      attestations_statuses: Type.Optional(Type.Array(Type.Unknown())),
      artifacts_statuses: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
});

export type JudgedTrail = Static<typeof judgedTrail>;

export const trailNotFound = {
  status: 404,
  message: "Trail with name '{trail_name}' does not exist for Organization '{org}' and Flow '{flow_name}'",
  when: 'Nothing was reported to a trail with that name.',
} as const;

export const getTrail = defineEndpoint('GET /trails/{org}/{flow_name}/{trail_name}', {
  operation: 'assert-trail',
  origin: 'observed',
  title: 'Get trail',
  success: [ok('The trail.', tolerant(trail, judgedTrail))],
  errors: [...accessErrors, namedFlowNotFound, trailNotFound],
});
