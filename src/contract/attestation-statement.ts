import { defineEndpoint } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { noSigningKey } from './log.ts';
import { Type } from './schema.ts';

/** The media type of a Sigstore bundle. */
export const bundleMediaType = 'application/vnd.dev.sigstore.bundle.v0.3+json';

const text = Type.String();

/** A Sigstore bundle with a DSSE envelope, with the fields that this service sets. */
const bundle = Type.Object({
  mediaType: Type.Literal(bundleMediaType),
  verificationMaterial: Type.Object({
    publicKey: Type.Object({ hint: Type.String({ description: 'The id of the key, as in its verifier key.' }) }),
  }),
  dsseEnvelope: Type.Object({
    payload: Type.String({ description: 'The statement, a JSON document, in base64.' }),
    payloadType: text,
    signatures: Type.Array(Type.Object({ sig: text }), { description: 'One.' }),
  }),
});

export const attestationNotFound = {
  status: 404,
  message: "Attestation '{attestation_id}' does not exist in organization '{org}'",
  when: 'The organization has no attestation with that id.',
} as const;

export const getStatement = defineEndpoint('GET /attestations/{org}/{attestation_id}/statement', {
  title: 'Get the signed statement of an attestation',
  success: [{ status: 200, description: 'An in-toto statement, signed.', schema: bundle, mediaType: bundleMediaType }],
  errors: [...accessErrors, attestationNotFound, noSigningKey],
});
