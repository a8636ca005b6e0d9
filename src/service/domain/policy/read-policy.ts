import { conforms, violations } from '../../../contract/check.ts';
import { ConditionFault } from './condition-tokens.ts';
import { parseCondition } from './parse-condition.ts';
import { readYaml, YamlFault, type YamlDocument } from './read-yaml.ts';
import { conditionsOf, isKnownSchema, policyRules, type PolicyRules } from './rules.ts';

/** A policy file, or what is wrong with it: each fault a text with its line. */
export type PolicyReading =
  { readonly text: string; readonly rules: PolicyRules } | { readonly faults: readonly [string, ...string[]] };

const mostFaults = 10;
// What YAML allows (YAML 1.2, section 5.1); `u` makes a lone surrogate a character of its own.
const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Reads a policy file: UTF-8, one YAML document, the known rules, and conditions that are understood. */
export function readPolicy(bytes: Uint8Array): PolicyReading {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { faults: ['it is not UTF-8'] };
  }
  const character = forbidden.exec(text);
  if (character !== null) {
    const line = text.slice(0, character.index).split('\n').length;
    const code = (character[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return { faults: [`line ${line}: it holds the character U+${code}, which YAML does not allow`] };
  }
  try {
    return check(text, readYaml(text));
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    return { faults: [error.line === undefined ? error.message : `line ${error.line}: ${error.message}`] };
  }
}

function check(text: string, { value, lineOf }: YamlDocument): PolicyReading {
  const faultAt = (field: string, rule: string): string =>
    field === '' ? `line 1: it ${rule}` : `line ${lineOf(field)}: \`${field}\` ${rule}`;
  if (!conforms(policyRules, value)) {
    return faulty(violations(policyRules, value).map(({ field, rule }) => faultAt(field, rule)));
  }
  const faults = conditionFaults(value).map(([field, rule]) => faultAt(field, rule));
  if (!isKnownSchema(value._schema)) {
    faults.unshift(faultAt('_schema', 'must be the address of a schema, with a path that ends in /v1'));
  }
  return faults.length === 0 ? { text, rules: value } : faulty(faults);
}

function conditionFaults(rules: PolicyRules): readonly (readonly [field: string, rule: string])[] {
  return conditionsOf(rules).flatMap(([field, text]): (readonly [string, string])[] => {
    try {
      parseCondition(text);
      return [];
    } catch (error) {
      if (!(error instanceof ConditionFault)) throw error;
      return [[field, error.message]];
    }
  });
}

function faulty(faults: readonly string[]): PolicyReading {
  const [first = 'it is not a policy', ...others] = faults;
  return { faults: [first, ...others.slice(0, mostFaults - 1)] };
}
