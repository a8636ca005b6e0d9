import { Type, type Static } from './schema.ts';
import { listedAttestation } from './attestation-list.ts';
import { commitResponse } from './commit.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { accessErrors, namedFlowNotFound } from './errors.ts';
import { attestationId, attestationName, fingerprint, flowName, orgName, trailName } from './names.ts';

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

/** A single attestation. */
export type FoundAttestation = Static<typeof foundAttestation>;

/** Get the attestations of a trail by name. Not one of the sixteen operations. */
export const findTrailAttestations = defineEndpoint({
  origin: 'observed',
  title: 'Get attestations of a trail by name',
  method: 'GET',
  path: '/attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}',
  parameters: Type.Object({
    org: orgName,
    flow_name: flowName,
    trail_name: trailName,
    attestation_name: attestationName,
  }),
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The attestations.', schema: Type.Array(foundAttestation) }],
  errors: [...accessErrors, namedFlowNotFound],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the attestations of a name',
      choice: `the latest ${maximumFoundAttestations} among the latest 1000 of the trail or artifact, newest first; \`unit\` also finds \`web.unit\`, and \`web.unit\` only what is about \`web\``,
      source: 'the first one is what counts',
    },
  ],
});

/** Get the attestations of an artifact by name. Not one of the sixteen operations. */
export const findArtifactAttestations = defineEndpoint({
  origin: 'observed',
  title: 'Get attestations of an artifact by name',
  method: 'GET',
  path: '/attestations/{org}/{flow_name}/artifact/{fingerprint}/{attestation_name}',
  parameters: Type.Object({ org: orgName, flow_name: flowName, fingerprint, attestation_name: attestationName }),
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The attestations.', schema: Type.Array(foundAttestation) }],
  errors: [...accessErrors, namedFlowNotFound],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the attestations of an artifact',
      choice: 'all that count or counted for its latest report, those of its trail included',
      source: 'they decide its state',
    },
  ],
});

/** Get an attestation by its id. Not one of the sixteen operations. */
export const findAttestationById = defineEndpoint({
  origin: 'observed',
  title: 'Get attestation by id',
  method: 'GET',
  path: '/attestations/{org}',
  parameters: Type.Object({ org: orgName }),
  query: Type.Object({ attestation_id: attestationId }, { additionalProperties: false }),
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [
    {
      status: 200,
      description: 'The attestation; an empty list if there is none with the id.',
      schema: Type.Object({ data: Type.Array(foundAttestation) }),
    },
  ],
  errors: accessErrors,
  authentication: ['bearer'],
  choices: [
    {
      subject: 'an id that no attestation has',
      choice: '200 with an empty list, as for a name',
      source: "the public client's tests",
    },
  ],
});
