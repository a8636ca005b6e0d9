import { conforms } from '../check.ts';
import { maximumLicenses, maximumNamedComponents } from '../limits.ts';
import { type Static, strictObject, Type } from '../schema.ts';
import { lineText } from '../text-fields.ts';
import { attestationDocument, count } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';
import { judgeUnreadableRule, readRule } from './step-rule.ts';

/** The types of evidence that share this wire form. */
const systemTypes = ['sbom', 'decision'] as const;

/** What a bill of materials says about itself: as much as the service depends on. */
const billOfMaterials = Type.Object({
  package_count: Type.Optional(Type.Union([count, Type.Null()])),
});

/** The JSON part of a bill of materials, or of a decision about a control (observed on the wire). */
export const systemAttestation = attestationDocument({
  type_name: Type.Enum([...systemTypes]),
  control: Type.Optional(lineText({ description: 'The control that a decision is about.' })),
  attestation_data: Type.Object({
    is_compliant: Type.Optional(Type.Boolean({ description: 'Only for a decision.' })),
    format: Type.Optional(lineText({ description: 'The format of a bill of materials: `spdx-2.3`.' })),
    original_fingerprint: Type.Optional(lineText({ description: 'The SHA-256 of the bill of materials.' })),
    document: Type.Optional(Type.Union([billOfMaterials, Type.Null()])),
  }),
});

export type SystemAttestation = Static<typeof systemAttestation>;

/** The key of `user_data` with the licences of the components, as the step found them. */
export const licensesDataKey = 'licenses';

const foundLicenses = strictObject({
  licenses: Type.Array(lineText(), { maxItems: maximumLicenses, description: 'Each once; the first ones.' }),
  not_allowed: Type.Array(strictObject({ component: lineText(), license: lineText() }), {
    maxItems: maximumNamedComponents,
    description: 'The first components whose licence the step does not allow.',
  }),
  not_allowed_count: count,
  unknown: Type.Array(lineText(), {
    maxItems: maximumNamedComponents,
    description: 'The first components without a licence, or with one that is not an SPDX expression.',
  }),
  unknown_count: count,
});

/** The licences of the components of a bill of materials. */
export type FoundLicenses = Static<typeof foundLicenses>;

/** The rule of a step that records a bill of materials: the licences that it allows. */
const licenseRule = strictObject({
  allowed_licenses: Type.Array(lineText()),
  unknown_licenses: Type.Enum(['refuse', 'allow']),
});

export type LicenseRule = Static<typeof licenseRule>;

/** The licences that the sender found; undefined if it did not look. */
export function readLicenses({ user_data: data = {} }: SystemAttestation): FoundLicenses | undefined {
  const found = Object.hasOwn(data, licensesDataKey) ? data[licensesDataKey] : undefined;
  return conforms(foundLicenses, found) ? found : undefined;
}

function judge(attestation: SystemAttestation): AttestationJudgement {
  return attestation.type_name === 'decision' ? judgeDecision(attestation) : judgeBillOfMaterials(attestation);
}

/** The sender decides. */
function judgeDecision({
  control = '',
  attestation_data: { is_compliant: isCompliant },
}: SystemAttestation): AttestationJudgement {
  const about = control === '' ? 'it' : control;
  if (isCompliant === true) return { verdict: 'compliant', reason: `${about} was decided to be met`, faults: [] };
  const reason =
    isCompliant === false ? `${about} was decided not to be met` : 'the decision does not say what was decided';
  return { verdict: isCompliant === false ? 'non-compliant' : 'incomplete', reason, faults: [{ value: reason }] };
}

/** A bill of materials is compliant if it is on record, and has only the licences that the step's rule allows. */
function judgeBillOfMaterials(attestation: SystemAttestation): AttestationJudgement {
  const rule = readRule(licenseRule, attestation);
  const components = attestation.attestation_data.document?.package_count ?? undefined;
  const counted = components === undefined ? 'it is recorded' : `it has ${components} components`;
  if (rule === undefined) return { verdict: 'compliant', reason: counted, faults: [] };
  if (rule === 'unreadable') return judgeUnreadableRule('licences');
  const found = readLicenses(attestation);
  if (found === undefined) {
    const value = `\`user_data.${licensesDataKey}\` does not have the licences of the components`;
    return { verdict: 'incomplete', reason: value, faults: [{ value }] };
  }
  const faults = [
    ...listFaults(
      found.not_allowed.map(({ component, license }) => `${component} has ${license}`),
      found.not_allowed_count,
      'the licence is not allowed',
    ),
    ...(rule.unknown_licenses === 'allow'
      ? []
      : listFaults(
          found.unknown.map((component) => `${component} has no licence that can be read`),
          found.unknown_count,
          'a licence is required',
        )),
  ];
  if (faults.length === 0) {
    const { unknown_count: unknown } = found;
    const licences =
      unknown === 0 ? 'all with allowed licences' : `${unknown} without a known licence, all others with allowed ones`;
    return { verdict: 'compliant', reason: `${counted}, ${licences}`, faults };
  }
  return {
    verdict: 'non-compliant',
    reason: `${counted}; ${found.not_allowed_count} with licences that are not allowed, ${found.unknown_count} without a known licence`,
    faults,
  };
}

/** One fault for each of the first components, and one for the others. */
function listFaults(values: readonly string[], total: number, limit: string): AttestationJudgement['faults'] {
  const rest = total - values.length;
  return [...values, ...(rest > 0 ? [`${rest} more components`] : [])].map((value) => ({ value, limit }));
}

export const systemKind = defineAttestationKind({
  name: 'system',
  types: systemTypes,
  typeOf: ({ type_name: type }) => type,
  operation: 'attest-sbom',
  title: 'Attest a bill of materials or a decision',
  document: systemAttestation,
  judge,
});
