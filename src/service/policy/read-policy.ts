import { type Faults, type FieldFault, maximumFaults, readYamlFile } from '../platform/yaml/read-yaml-file.ts';
import { listMatches } from '../requirement/condition.ts';
import { ConditionError, parseCondition } from '../requirement/parse-condition.ts';
import { findRequirementFaults } from '../requirement/requirement.ts';
import {
  isKnownSchema,
  listConditions,
  maximumConditions,
  maximumTotalPatternSize,
  type PolicyRules,
  policyRules,
} from './policy-rules.ts';

/** A parsed policy file, or its faults as messages with line numbers. */
export type PolicyReading = { readonly text: string; readonly rules: PolicyRules } | { readonly faults: Faults };

/** Parses a policy file and checks it: UTF-8, one YAML document, known rules only, valid conditions. */
export function readPolicy(bytes: Uint8Array): PolicyReading {
  const reading = readYamlFile(bytes, { schema: policyRules, findFaults });
  return 'faults' in reading ? reading : { text: reading.text, rules: reading.value };
}

function findFaults(rules: PolicyRules): readonly FieldFault[] {
  const faults = [...conditionFaults(rules), ...requirementFaults(rules)];
  if (isKnownSchema(rules._schema)) return faults;
  return [['_schema', 'must be the address of a schema, with a path that ends in /v1'], ...faults];
}

function requirementFaults({ artifacts: { attestations = [] } = {} }: PolicyRules): readonly FieldFault[] {
  return attestations.flatMap((rule, index) => findRequirementFaults(rule, `artifacts.attestations.${index}`));
}

/** Finds the conditions that are invalid or exceed the limits of a policy. */
function conditionFaults(rules: PolicyRules): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  let size = 0;
  for (const [index, [field, text]] of listConditions(rules).entries()) {
    if (index === maximumConditions) return [...faults, [field, `is one of more than ${maximumConditions} conditions`]];
    const { fault, size: own = 0 } = readCondition(text);
    if (fault !== undefined) faults.push([field, fault]);
    size += own;
    if (size > maximumTotalPatternSize) {
      const rule = `makes the patterns of the policy larger than ${maximumTotalPatternSize} together; repeat less in them`;
      return [...faults, [field, rule]];
    }
    if (faults.length >= maximumFaults) break;
  }
  return faults;
}

function readCondition(text: string): { readonly fault?: string; readonly size?: number } {
  try {
    return { size: listMatches(parseCondition(text)).reduce((sum, { pattern }) => sum + pattern.size, 0) };
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return { fault: error.message };
  }
}
