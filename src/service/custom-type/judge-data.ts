import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { SummaryValue } from '../../contract/attestations/custom.ts';
import type { Fault } from '../../contract/reason.ts';
import { errorMessage } from '../../runtime/failure.ts';
import { truncate } from '../../runtime/truncate.ts';
import { isMapping, textAt } from '../../runtime/untrusted-data.ts';
import type { CustomTypeDefinition } from './custom-type.ts';
import { run, withJq } from './limited-jq.ts';
import { checkUse, prelude } from './refused-functions.ts';
import { LimitError, whileBusy, withinTime } from './time-limit.ts';

/* Judges the data of custom attestations in a worker thread, because schemas and rules are foreign programs in effect. */

/** How long a judgement may take, in milliseconds. */
const judgementTime = 100;

/** How long compiling a schema or an expression may take, in milliseconds. */
const compilationTime = 500;

export interface DataToJudge {
  readonly definition: CustomTypeDefinition;
  /** As JSON. */
  readonly data: string;
}

export interface DataJudgement {
  /** Empty if the data satisfies the schema and all rules. */
  readonly faults: readonly Fault[];
  readonly summary: readonly SummaryValue[];
}

/** Formats and unknown keywords are annotations, as the specification of JSON Schema says. */
const ajvOptions: Options = {
  ...{ strict: false, validateFormats: false, logger: false },
  // Otherwise `toString` would be a property of every object.
  ownProperties: true,
  code: { regExp: Object.assign(compilePattern, { code: '' }) },
};

/** RE2 takes time in proportion to the text, whatever the pattern. Ajv tells patterns apart by their texts. */
function compilePattern(pattern: string): { test: (text: string) => boolean; toString: () => string } {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
}

/** The validators of the last schemas, because compiling takes longer than validating. */
const validators = new Map<string, ValidateFunction>();
const maximumValidators = 16;

/** @throws Error if it is not a JSON Schema that this service understands */
function compileSchema(json: string): ValidateFunction {
  const known = validators.get(json);
  if (known !== undefined) return known;
  const schema: unknown = JSON.parse(json);
  if (!isMapping(schema) || schema['$async'] !== undefined) throw new Error('must be a JSON object without $async');
  const compiled = withinTime(compilationTime, () => {
    const isLater = /\/draft\/20(?:19-09|20-12)\//u.test(textAt(schema, '$schema') ?? '');
    return (isLater ? new Ajv2020(ajvOptions) : new Ajv(ajvOptions)).compile(schema);
  });
  const [oldest] = validators.keys();
  if (validators.size >= maximumValidators && oldest !== undefined) validators.delete(oldest);
  validators.set(json, compiled);
  return compiled;
}

export type DefinitionFault = readonly [field: string, words: string];

export async function checkDefinition(definition: CustomTypeDefinition): Promise<readonly DefinitionFault[]> {
  const { schema, rules, summary } = definition;
  const expressions = [
    ...rules.map((rule, at) => [`evaluator.rules.${at}`, rule] as const),
    ...summary.map(({ expression }, at) => [`summary.${at}.expression`, expression] as const),
  ];
  const checks: readonly (readonly [string, () => unknown])[] = [
    ...(schema === undefined ? [] : [['type_schema', () => whileBusy(() => compileSchema(schema))] as const]),
    ...expressions.map(([field, text]) => [field, () => compileExpression(text)] as const),
    ['evaluator.rules', () => compile(toProgram(definition))],
  ];
  for (const [field, check] of checks) {
    try {
      await check();
    } catch (error) {
      const words = error instanceof LimitError ? `would ${error.message}` : errorMessage(error);
      return [[field, truncate(words, maximumFaultLength)]];
    }
  }
  return [];
}

/** In characters. */
const maximumFaultLength = 500;

/** @throws Error if jq does not understand the expression, or it uses what is refused */
async function compileExpression(expression: string): Promise<void> {
  checkUse(expression, await compile(`${prelude}\n${expression}`));
}

/** Returns the code that jq makes of a program. Without input, jq does not run it. */
function compile(program: string): Promise<string> {
  return withJq(compilationTime, (jq) => run(jq, program, '', '--debug-dump-disasm'));
}

/** In characters. */
const maximumValueLength = 500;

/**
 * The program that evaluates all expressions at once, so that the data is parsed once. Each expression is a function,
 * whose body ends even if its last line is a comment that continues on the next one.
 */
function toProgram({ rules, summary }: CustomTypeDefinition): string {
  const lists = [
    { name: '_rule', expressions: rules, format: 'tojson' },
    { name: '_summary', expressions: summary.map(({ expression }) => expression), format: 'tostring' },
  ].map(({ name, expressions, format }) => ({
    functions: expressions.map((expression, at) => `def ${name}${at}:\n${expression}\n\n;`),
    calls: expressions.map(
      (_, at) => `(try [limit(2; ${name}${at}) | ${format} | _brief] catch {error: tostring | _brief})`,
    ),
  }));
  const brief = `def _brief: if length > ${maximumValueLength} then .[0:${maximumValueLength}] + "…" else . end;`;
  const functions = lists.flatMap((list) => list.functions);
  return [prelude, brief, ...functions, `[${lists.map(({ calls }) => `[${calls.join(', ')}]`).join(', ')}]`].join('\n');
}

/** What an expression gives: its first two outputs, or an error. */
type Outputs = readonly string[] | { readonly error: string };

/** Judges data by a definition that `checkDefinition` accepted. */
export async function judgeData({ definition, data }: DataToJudge): Promise<DataJudgement> {
  const { schema, rules, summary } = definition;
  try {
    const isValid = schema === undefined ? undefined : await whileBusy(() => compileSchema(schema));
    const program = toProgram(definition);
    const given = await withJq(judgementTime, (jq) => {
      const invalid = isValid === undefined ? undefined : findInvalid(isValid, data);
      if (invalid !== undefined || rules.length + summary.length === 0) return { invalid };
      // The program makes this of the outputs.
      return JSON.parse(run(jq, program, data, '-c'), (_key, value: unknown) =>
        typeof value === 'string' ? toStorable(value) : value,
      ) as readonly [judged: readonly Outputs[], shown: readonly Outputs[]];
    });
    if ('invalid' in given) return { faults: given.invalid === undefined ? [] : [given.invalid], summary: [] };
    const [judged, shown] = given;
    return {
      faults: rules.flatMap((rule, at) => toFaults(rule, judged[at] ?? [])),
      summary: summary.map(({ name }, at) => ({ name, value: toSummaryValue(shown[at] ?? []) })),
    };
  } catch (error) {
    const words = error instanceof LimitError ? error.message : `cannot be evaluated: ${errorMessage(error)}`;
    return { faults: [{ value: `the schema and the rules ${words}` }], summary: [] };
  }
}

/** PostgreSQL cannot read a document with NUL or a lone surrogate. Data has none, but jq and schemas can add them. */
function toStorable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

function findInvalid(isValid: ValidateFunction, data: string): Fault | undefined {
  if (isValid(JSON.parse(data))) return undefined;
  const { instancePath = '', message = 'is not valid' } = isValid.errors?.[0] ?? {};
  return { value: toStorable(`attestation_data${instancePath} ${message}`), limit: 'the schema requires it' };
}

/** In characters; reasons are read at a glance. */
const maximumRuleLength = 150;

function toFaults(rule: string, outputs: Outputs): readonly Fault[] {
  if (!('error' in outputs) && outputs.length === 1 && outputs[0] === 'true') return [];
  return [{ value: `the rule ${truncate(rule, maximumRuleLength)} ${describe(outputs)}`, limit: 'true is required' }];
}

function describe(outputs: Outputs): string {
  if ('error' in outputs) return `fails: ${outputs.error}`;
  if (outputs.length > 1) return 'gives more than one value';
  return `gives ${truncate(outputs[0] ?? 'nothing', maximumRuleLength)}`;
}

function toSummaryValue(outputs: Outputs): string {
  return 'error' in outputs ? `error: ${outputs.error}` : outputs.join(', ');
}
