import { isRequirableType, requirableTypes } from '../../contract/attestations/attestation-types.ts';
import { maximumTemplateNames } from '../../contract/limits.ts';
import { templateReferenceName } from '../../contract/names.ts';
import { type Static, strictObject, Type } from '../../contract/schema.ts';
import { type Faults, type FieldFault, readYamlFile } from '../platform/yaml/read-yaml-file.ts';
import { enforceFrom, findFromFaults, findRequirementFaults, requirementFields } from '../requirement/requirement.ts';
import { countNames, type FileTemplate } from './template.ts';

/** A parsed template file, or its faults as messages with line numbers. */
export type TemplateReading = { readonly template: FileTemplate } | { readonly faults: Faults };

const requiredAttestation = strictObject({
  name: templateReferenceName,
  type: Type.String(),
  ...requirementFields,
  enforce_from: enforceFrom,
});
const attestations = Type.Optional(Type.Array(requiredAttestation, { maxItems: maximumTemplateNames }));

const templateFile = strictObject({
  version: Type.Literal(1),
  trail: Type.Optional(
    strictObject({
      attestations,
      artifacts: Type.Optional(
        Type.Array(strictObject({ name: templateReferenceName, from: requirementFields.from, attestations }), {
          maxItems: maximumTemplateNames,
        }),
      ),
    }),
  ),
});

/** Parses a template file and checks it: names, types, and that nothing is named twice in the same place. */
export function readTemplate(bytes: Uint8Array): TemplateReading {
  const reading = readYamlFile(bytes, { schema: templateFile, findFaults });
  return 'faults' in reading ? reading : { template: toTemplate(reading.text, reading.value) };
}

function toTemplate(text: string, { trail = {} }: Static<typeof templateFile>): FileTemplate {
  const artifacts = (trail.artifacts ?? []).map(({ attestations: own = [], ...artifact }) => ({
    ...artifact,
    attestations: own,
  }));
  return { text, attestations: trail.attestations ?? [], artifacts };
}

function findFaults(file: Static<typeof templateFile>): readonly FieldFault[] {
  const template = toTemplate('', file);
  if (countNames(template) > maximumTemplateNames) {
    return [['trail', `must not name more than ${maximumTemplateNames} artifacts and attestations`]];
  }
  return [
    ...findListFaults('trail.attestations', template.attestations),
    ...findRepetitions('trail.artifacts', template.artifacts),
    ...template.artifacts.flatMap((artifact, index) => [
      ...findFromFaults(artifact.from, `trail.artifacts.${index}`),
      ...findListFaults(`trail.artifacts.${index}.attestations`, artifact.attestations),
    ]),
  ];
}

function findListFaults(field: string, list: FileTemplate['attestations']): readonly FieldFault[] {
  const faults = list.flatMap((required, index): FieldFault[] => {
    const { type } = required;
    return [
      ...(isRequirableType(type)
        ? []
        : [[`${field}.${index}.type`, `must be ${requirableTypes}; it is ${type}`] as const]),
      ...findRequirementFaults(required, `${field}.${index}`),
    ];
  });
  return [...faults, ...findRepetitions(field, list)];
}

function findRepetitions(field: string, list: readonly { readonly name: string }[]): readonly FieldFault[] {
  const seen = new Set<string>();
  return list.flatMap(({ name }, index): FieldFault[] => {
    if (seen.has(name))
      return [[`${field}.${index}.name`, `must be different from the names before it; it is ${name}`]];
    seen.add(name);
    return [];
  });
}
