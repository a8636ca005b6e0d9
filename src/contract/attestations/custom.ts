import { customTypeName } from '../names.ts';
import { type Static, Type } from '../schema.ts';
import { attestationDocument } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';

/** What the types of custom evidence begin with, in templates, policies and answers: `custom:coverage`. */
export const customTypePrefix = 'custom:';

/* In this module, because the action needs these, and not the endpoints of custom types. */

/** The responses if there is no custom type of that name (read in the public client's tests). */
export const customTypeMissing = {
  status: 404,
  message: "Custom attestation type '{name}' does not exist for org '{org}'",
  when: 'The organization has no custom type of that name.',
} as const;

export const customTypeArchived = {
  status: 404,
  message: "Custom attestation type '{name}' is archived for org '{org}'",
  when: 'The custom type was archived; a new version brings it back.',
} as const;

/** The JSON part of a custom attestation (observed on the wire). */
export const customAttestation = attestationDocument({
  type_name: customTypeName,
  attestation_data: Type.Unknown({ description: 'What the schema and the rules of the type judge.' }),
});

/** A value that the type computes from the data, to be shown. */
export interface SummaryValue {
  readonly name: string;
  /** Text unchanged, anything else as JSON; cut if it is long. */
  readonly value: string;
}

/** A custom attestation, with what the service adds when it records it. */
export type CustomAttestation = Static<typeof customAttestation> & {
  /** The version of the type that it was judged by. */
  readonly type_version?: number;
  readonly summary?: SummaryValue[];
};

function judge(): AttestationJudgement {
  const value = 'only the service can judge it, and its verdict could not be read back';
  return { verdict: 'incomplete', reason: value, faults: [{ value }] };
}

/** Evidence of a type that the organization defines. Only the service knows the type, so only it can judge. */
export const customKind = defineAttestationKind({
  name: 'custom',
  // Each custom type has its own, with the prefix.
  types: [],
  typeOf: ({ type_name: name }) => customTypePrefix + name,
  operation: 'attest-custom',
  title: 'Attest evidence of a custom type',
  document: customAttestation,
  judge,
  isJudgedByService: true,
  errors: [customTypeMissing, customTypeArchived],
});
