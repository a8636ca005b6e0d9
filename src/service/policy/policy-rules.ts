import { requirableTypePattern } from '../../contract/attestations/attestation-types.ts';
import { type Static, strictObject, Type } from '../../contract/schema.ts';
import { dayText, longText } from '../../contract/text-fields.ts';
import { agingFields, enforceFrom, requirementFields } from '../requirement/requirement.ts';

/**
 * The rules of a policy (public documentation of such a service, Policy), as in its YAML file. Unknown keys are
 * rejected, because a misspelt rule would silently never apply.
 */

/** The maximum number of rules or exceptions in one list. */
export const maximumRules = 100;

export const maximumConditions = 200;

/** The maximum total size of a policy's patterns, in instructions (`Pattern.size`). */
export const maximumTotalPatternSize = 5000;

const condition = Type.String({ description: '`${{ … }}`; see `parseCondition`.' });

const exception = strictObject({
  if: condition,
  until: Type.Optional(dayText({ description: 'The last day in UTC on which it holds.' })),
  reason: Type.Optional(longText({ description: 'Why there is the exception.' })),
});

const artifactRule = strictObject({
  required: Type.Optional(Type.Boolean({ description: 'Default: false.' })),
  exceptions: Type.Optional(Type.Array(exception, { maxItems: maximumRules })),
});

const attestationRule = strictObject({
  type: Type.String({ pattern: requirableTypePattern }),
  name: Type.Optional(
    Type.String({ pattern: '^(?:\\*|[a-zA-Z0-9\\-_]+)$', description: 'Default: `*`, whatever its name.' }),
  ),
  if: Type.Optional(condition),
  must_be_compliant: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
  ...requirementFields,
  ...agingFields,
  enforce_from: enforceFrom,
});

export const policyRules = strictObject({
  _schema: Type.String({ description: 'The address of the schema; its path ends in `/v1`.' }),
  enforce_from: enforceFrom,
  artifacts: Type.Optional(
    strictObject({
      provenance: Type.Optional(artifactRule),
      'trail-compliance': Type.Optional(artifactRule),
      attestations: Type.Optional(Type.Array(attestationRule, { maxItems: maximumRules })),
    }),
  ),
});

export type PolicyRules = Static<typeof policyRules>;

/** A rule of a policy for every artifact, unless an exception applies. */
export type ArtifactRule = Static<typeof artifactRule>;

export type AttestationRule = Static<typeof attestationRule>;

/** Whether the URL is that of the only known schema version. */
export function isKnownSchema(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname.endsWith('/v1');
}

/** Lists every condition of the rules with the path of its field. */
export function listConditions({ artifacts = {} }: PolicyRules): readonly (readonly [field: string, text: string])[] {
  const listExceptions = (name: 'provenance' | 'trail-compliance'): (readonly [string, string])[] =>
    (artifacts[name]?.exceptions ?? []).map((exception, index) => [
      `artifacts.${name}.exceptions.${index}.if`,
      exception.if,
    ]);
  const attestations = (artifacts.attestations ?? []).flatMap(({ if: text }, index): (readonly [string, string])[] =>
    text === undefined ? [] : [[`artifacts.attestations.${index}.if`, text]],
  );
  return [...listExceptions('provenance'), ...listExceptions('trail-compliance'), ...attestations];
}
