import { conforms, violations } from '../../../contract/check.ts';
import { decodeText } from '../../../runtime/decode-text.ts';
import { truncate } from '../../../runtime/truncate.ts';
import { listMatches } from './condition.ts';
import { ConditionError } from './condition-tokens.ts';
import { parseCondition } from './parse-condition.ts';
import { readYaml, YamlError, type YamlDocument } from './read-yaml.ts';
import {
  listConditions,
  isKnownSchema,
  maximumTotalPatternSize,
  maximumConditions,
  policyRules,
  type PolicyRules,
} from './rules.ts';

/** A parsed policy file, or its faults as messages with line numbers. */
export type PolicyReading =
  { readonly text: string; readonly rules: PolicyRules } | { readonly faults: readonly [string, ...string[]] };

const maximumFaults = 10;
/** In characters. A fault can quote a key, which can be as long as the file. */
const maximumFaultLength = 300;
// Characters that YAML does not allow (YAML 1.2, section 5.1). With `u`, a lone surrogate is a character of its own.
const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Parses a policy file and checks it: UTF-8, one YAML document, known rules only, valid conditions. */
export function readPolicy(bytes: Uint8Array): PolicyReading {
  const text = decodeText(bytes);
  if (text === undefined) return { faults: ['it is not UTF-8'] };
  const character = forbidden.exec(text);
  if (character !== null) {
    const line = text.slice(0, character.index).split('\n').length;
    const code = (character[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return { faults: [`line ${line}: it has the character U+${code}, which YAML does not allow`] };
  }
  try {
    return check(text, readYaml(text));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return faulty([error.line === undefined ? error.message : `line ${error.line}: ${error.message}`]);
  }
}

function check(text: string, { value, findLine }: YamlDocument): PolicyReading {
  const faultAt = (field: string, rule: string): string =>
    field === '' ? `line 1: it ${rule}` : `line ${findLine(field)}: \`${field}\` ${rule}`;
  if (!conforms(policyRules, value)) {
    return faulty(
      violations(policyRules, value)
        .slice(0, maximumFaults)
        .map(({ field, rule }) => faultAt(field, rule)),
    );
  }
  const faults = conditionFaults(value).map(([field, rule]) => faultAt(field, rule));
  if (!isKnownSchema(value._schema)) {
    faults.unshift(faultAt('_schema', 'must be the address of a schema, with a path that ends in /v1'));
  }
  return faults.length === 0 ? { text, rules: value } : faulty(faults);
}

/** Finds the conditions that are invalid or exceed the limits of a policy. */
function conditionFaults(rules: PolicyRules): readonly (readonly [field: string, rule: string])[] {
  const faults: (readonly [string, string])[] = [];
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

function faulty(faults: readonly string[]): PolicyReading {
  const shown = faults.slice(0, maximumFaults).map((fault) => truncate(fault, maximumFaultLength));
  const [first = 'it is not a policy', ...others] = shown;
  return { faults: [first, ...others] };
}
