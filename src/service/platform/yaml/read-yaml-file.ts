import { conforms, violations } from '../../../contract/check.ts';
import type { Static, TSchema } from '../../../contract/schema.ts';
import { decodeText } from '../../../runtime/decode-text.ts';
import { truncate } from '../../../runtime/truncate.ts';
import { readYaml, type YamlDocument, YamlError } from './read-yaml.ts';

/** Faults of a file, as messages with line numbers. */
export type Faults = readonly [string, ...string[]];

/** A valid file, or its faults. */
export type YamlReading<Value> = { readonly text: string; readonly value: Value } | { readonly faults: Faults };

/** A field that breaks a rule: its dotted path, and the rule. */
export type FieldFault = readonly [field: string, rule: string];

export interface YamlFileRules<Schema extends TSchema> {
  readonly schema: Schema;
  /** Finds the faults that the schema cannot express. */
  readonly findFaults: (value: Static<Schema>) => readonly FieldFault[];
}

/** How many faults a reading names. */
export const maximumFaults = 10;
/** In characters. A fault can quote a key, which can be as long as the file. */
const maximumFaultLength = 300;
// Characters that YAML does not allow (YAML 1.2, section 5.1). With `u`, a lone surrogate is a character of its own.
const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Parses a file and checks it: UTF-8, one YAML document, and the rules. */
export function readYamlFile<Schema extends TSchema>(
  bytes: Uint8Array,
  rules: YamlFileRules<Schema>,
): YamlReading<Static<Schema>> {
  const text = decodeText(bytes);
  if (text === undefined) return { faults: ['it is not UTF-8'] };
  const character = forbidden.exec(text);
  if (character !== null) {
    const line = text.slice(0, character.index).split('\n').length;
    const code = (character[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return { faults: [`line ${line}: it has the character U+${code}, which YAML does not allow`] };
  }
  try {
    return check(text, readYaml(text), rules);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return toFaults([error.line === undefined ? error.message : `line ${error.line}: ${error.message}`]);
  }
}

function check<Schema extends TSchema>(
  text: string,
  { value, findLine }: YamlDocument,
  { schema, findFaults }: YamlFileRules<Schema>,
): YamlReading<Static<Schema>> {
  const toMessage = ([field, rule]: FieldFault): string =>
    field === '' ? `line 1: it ${rule}` : `line ${findLine(field)}: \`${field}\` ${rule}`;
  if (!conforms(schema, value)) {
    const wrong = violations(schema, value).slice(0, maximumFaults);
    return toFaults(wrong.map(({ field, rule }) => toMessage([field, rule])));
  }
  const faults = findFaults(value).map(toMessage);
  return faults.length === 0 ? { text, value } : toFaults(faults);
}

function toFaults(faults: readonly string[]): { readonly faults: Faults } {
  const shown = faults.slice(0, maximumFaults).map((fault) => truncate(fault, maximumFaultLength));
  const [first = 'it has another form', ...others] = shown;
  return { faults: [first, ...others] };
}
