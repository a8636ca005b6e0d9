import { type Static, Type } from '../schema.ts';
import { attestationDocument } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';

/** The JSON part of a generic attestation (observed on the wire). */
export const genericAttestation = attestationDocument({
  is_compliant: Type.Optional(
    Type.Boolean({ description: 'What the sender says about its evidence; true if it is absent.' }),
  ),
});

export type GenericAttestation = Static<typeof genericAttestation>;

/** The sender decides; the service cannot check any other tool's evidence. */
function judge({ is_compliant: isCompliant = true }: GenericAttestation): AttestationJudgement {
  return isCompliant
    ? { verdict: 'compliant', reason: 'it was reported as compliant', faults: [] }
    : {
        verdict: 'non-compliant',
        reason: 'it was reported as not compliant',
        faults: [{ value: 'reported as not compliant' }],
      };
}

/** Evidence of any other tool, with the sender's own verdict. */
export const genericKind = defineAttestationKind({
  name: 'generic',
  operation: 'attest-generic',
  title: 'Attest generic evidence',
  document: genericAttestation,
  judge,
});
