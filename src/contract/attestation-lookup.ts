import { attachmentRemoval } from './attachment-removal.ts';
import { listedAttestation } from './attestation-list.ts';
import { annotations, externalUrls } from './attestations/attestation-fields.ts';
import { jiraAttestation } from './attestations/jira.ts';
import { junitAttestation } from './attestations/junit.ts';
import { pullRequestAttestation } from './attestations/pull-request.ts';
import { snykAttestation } from './attestations/snyk.ts';
import { sonarAttestation } from './attestations/sonar.ts';
import { commitResponse, repoInfo } from './commit.ts';
import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, namedFlowNotFound } from './errors.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { lineText } from './text-fields.ts';

/** The maximum number of attestations that a look-up by name returns. */
export const maximumFoundAttestations = 5;

/** A single attestation: the entry of a list with its commit (observed on the wire). */
export const foundAttestation = Type.Object({
  ...listedAttestation.properties,
  git_commit_info: Type.Optional(commitResponse),
  status_info: Type.Optional(Type.String({ description: 'The reason for the verdict, in words.' })),
  required_type: Type.Optional(
    Type.String({
      description:
        'The type that the template requires for this name, if it is another one: the attestation does not satisfy it.',
    }),
  ),
});

export type FoundAttestation = Static<typeof foundAttestation>;

/** The file that was sent with an attestation. */
const attachment = Type.Object({
  filename: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  sha256: Type.String(),
  url: Type.String({ description: 'Where to download it, with the same key.' }),
  removed: Type.Optional(attachmentRemoval),
});

/** A single attestation with its evidence: what was sent, in the form in which it was sent. */
export const attestationEvidence = Type.Object({
  ...foundAttestation.properties,
  repo_info: Type.Optional(repoInfo),
  external_urls: Type.Optional(externalUrls),
  annotations: Type.Optional(annotations),
  sonar_results: Type.Optional(sonarAttestation.properties.sonar_results),
  junit_results: Type.Optional(junitAttestation.properties.junit_results),
  git_provider: Type.Optional(pullRequestAttestation.properties.git_provider),
  pull_requests: Type.Optional(pullRequestAttestation.properties.pull_requests),
  snyk_results: Type.Optional(snykAttestation.properties.snyk_results),
  jira_results: Type.Optional(jiraAttestation.properties.jira_results),
  type_name: Type.Optional(Type.String()),
  control: Type.Optional(Type.String()),
  attestation_data: Type.Optional(Type.Unknown()),
  type_version: Type.Optional(
    Type.Integer({ description: 'The version of the custom type that the evidence was judged by.' }),
  ),
  summary: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'What the custom type shows of the evidence.',
    }),
  ),
  facts: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What the evidence says in numbers and lists; absent for evidence of an earlier version.',
    }),
  ),
  attachments: Type.Array(attachment, { description: 'One file, or none.' }),
});

export type AttestationEvidence = Static<typeof attestationEvidence>;

export const findTrailAttestations = defineEndpoint(
  'GET /attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}',
  {
    origin: 'observed',
    title: 'Get attestations of a trail by name',
    success: [ok('The attestations.', Type.Array(foundAttestation))],
    errors: [...accessErrors, namedFlowNotFound],
  },
);

export const findArtifactAttestations = defineEndpoint(
  'GET /attestations/{org}/{flow_name}/artifact/{fingerprint}/{attestation_name}',
  {
    origin: 'observed',
    title: 'Get attestations of an artifact by name',
    success: [ok('The attestations.', Type.Array(foundAttestation))],
    errors: [...accessErrors, namedFlowNotFound],
  },
);

export const findAttestationById = defineEndpoint('GET /attestations/{org}', {
  origin: 'observed',
  title: 'Get attestation by id',
  query: strictObject({ attestation_id: lineText({ description: 'The id of the attestation.' }) }),
  success: [
    ok(
      'The attestation; an empty list if there is none with the id.',
      Type.Object({ data: Type.Array(attestationEvidence) }),
    ),
  ],
});
