import { attestationDocument } from './attestations/attestation-fields.ts';
import { created, defineEndpoint, ok } from './endpoint.ts';
import { additionErrors, flowNotFound } from './errors.ts';
import { maximumTextLength } from './limits.ts';
import { type Static, Type } from './schema.ts';
import { dayText, lineText } from './text-fields.ts';

/** A verdict that replaces that of an attestation (observed on the wire). */
export const attestationOverride = attestationDocument({
  reason: Type.String({ minLength: 1, maxLength: maximumTextLength }),
  new_compliance_status: Type.Boolean(),
  until: Type.Optional(
    dayText({ description: 'The last day in UTC on which it counts: `2027-01-01`. Without it, it has no end.' }),
  ),
  original_attestation_type: lineText({ description: 'The type of the attestation: `sonar`, `custom:coverage`.' }),
});

export type AttestationOverride = Static<typeof attestationOverride>;

export const nothingToOverride = {
  status: 404,
  message:
    "Attestation '{name}' does not exist in trail '{trail}' of flow '{flow}' belonging to organization '{org}', so there is nothing to override",
  when: 'No attestation of that name counts there. Give the name, fingerprint and commit that it was recorded with.',
} as const;

export const overrideAttestation = defineEndpoint('POST /attestations/{org}/{flow_name}/trail/{trail_name}/override', {
  origin: 'observed',
  title: 'Override an attestation',
  body: { kind: 'json', schema: attestationOverride },
  repetition: {
    effect: 'appends',
    volatile: [],
    isHarmlessTwice: true,
    remedy: 'Send it again; a second identical one does no harm.',
  },
  success: [created('The verdict counts from now on.'), ok('The same; not sent by this service.')],
  errors: [...additionErrors, flowNotFound, nothingToOverride],
});
