import { getInput } from '@actions/core';
import type { Input, Use, Uses, ValuesOf } from '../../operations/inputs/input.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { Problem } from '../../runtime/failure.ts';

/** The values of the inputs, complete if there are no problems, and everything wrong with them. */
export interface ReadInputs<Used extends Uses> {
  readonly values: ValuesOf<Used>;
  readonly problems: readonly Problem[];
}

export interface InputSource {
  /** The text under `with:`, untrimmed; empty if it is not set. */
  readonly given: (name: string) => string;
  readonly environment: EnvironmentVariables;
  /** The operation of an action that has only one; `given` returns it for `operation`. */
  readonly fixedOperation?: string | undefined;
}

/** The inputs that the runner passed to this process. */
export function runnerInputs(environment: EnvironmentVariables, fixedOperation?: string): InputSource {
  const given = (name: string): string => getInput(name, { trimWhitespace: false });
  return {
    given: (name) => (name === 'operation' ? (fixedOperation ?? given(name)) : given(name)),
    environment,
    fixedOperation,
  };
}

/** The part of an input declaration that says where its text is read from. */
export type InputName = Pick<Input<unknown>, 'name' | 'fallback'>;

/** The name of an input's environment fallback, if it has one: `COMPLIANCE_API_TOKEN`. */
export function fallbackVariable(name: string): string {
  return `COMPLIANCE_${name.replaceAll('-', '_').toUpperCase()}`;
}

/**
 * The text of an input: from `with:`, else from its environment fallback, if it has one. Undefined if empty, because an
 * unset variable or secret becomes an empty text in a workflow.
 */
export function inputText(source: InputSource, input: InputName): string | undefined {
  return untrimmedText(source, input)?.trim();
}

function untrimmedText(source: InputSource, input: InputName): string | undefined {
  const fallback = usedFallback(source, input);
  return givenText(source, input.name) ?? (fallback === undefined ? undefined : variableText(source, fallback));
}

/** The text under `with:`; undefined if it is blank. */
function givenText({ given }: InputSource, name: string): string | undefined {
  return unlessBlank(given(name));
}

/** The value of an environment variable; undefined if it is blank. */
function variableText({ environment }: InputSource, name: string): string | undefined {
  return unlessBlank(environment[name]);
}

function unlessBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** The variable an input is read from; undefined if it is set under `with:`, or not at all. */
export function usedFallback(source: InputSource, input: InputName): string | undefined {
  return input.fallback === true ? variableInsteadOf(source, input) : undefined;
}

/** The variable that looks like the fallback of an input that has none and is not set under `with:`. */
export function ignoredVariable(source: InputSource, input: InputName): string | undefined {
  return input.fallback === true ? undefined : variableInsteadOf(source, input);
}

function variableInsteadOf(source: InputSource, { name }: InputName): string | undefined {
  if (givenText(source, name) !== undefined) return undefined;
  const variable = fallbackVariable(name);
  return variableText(source, variable) === undefined ? undefined : variable;
}

/** Every text given for an input, used or not: a secret must be masked wherever it comes from. */
export function givenTexts(source: InputSource, name: string): readonly string[] {
  const texts = [givenText(source, name), variableText(source, fallbackVariable(name))];
  return texts.flatMap((text) => text?.trim() ?? []);
}

export function runnerVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}

/** Reads and checks all inputs, so that every problem is reported at once. */
export function readInputs<Used extends Uses>(source: InputSource, uses: Used): ReadInputs<Used> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [key, use] of Object.entries(uses)) {
    const read = readInput(source, use);
    if ('problem' in read) problems.push(read.problem);
    else values[key] = read.value;
  }
  // Every key of `uses` has its value, or there is a problem and the values are not used.
  return { values: values as ValuesOf<Used>, problems };
}

function readInput(source: InputSource, use: Use<unknown>): { value: unknown } | { problem: Problem } {
  const { input } = use;
  const { name, secret = false, untrimmed = false } = input;
  const text = untrimmed ? untrimmedText(source, input) : inputText(source, input);
  if (text === undefined) return use.absent === 'error' ? { problem: missing(source, input) } : use.absent;
  const parsed = input.parse(text);
  if ('value' in parsed) return parsed;
  const got = secret || parsed.complete === true ? '' : `, but is ${JSON.stringify(parsed.part ?? text)}`;
  const variable = usedFallback(source, input);
  const origin = variable === undefined ? '' : ` (from ${variable})`;
  return { problem: { input: name, what: `\`${name}\` ${parsed.problem}${got}${origin}`, remedy: parsed.remedy } };
}

function missing(source: InputSource, input: InputName): Problem {
  const { name } = input;
  const what = `\`${name}\` is required but missing or empty`;
  const empty = 'an unset variable or secret counts as empty';
  if (input.fallback === true) {
    return {
      input: name,
      what,
      remedy: `Set it under \`with:\`, or set ${fallbackVariable(name)} in \`env:\`; ${empty}.`,
    };
  }
  const variable = ignoredVariable(source, input);
  if (variable === undefined) return { input: name, what, remedy: `Set it under \`with:\`; ${empty}.` };
  const remedy = `${variable} is not read. To use its value, write \`${name}: \${{ env.${variable} }}\` under \`with:\`.`;
  return { input: name, what, remedy };
}

/** The names of the inputs that are set under `with:` but not among those used. */
export function unusedInputs({ environment }: InputSource, used: readonly string[]): readonly string[] {
  const known = new Set(used.map(runnerVariable));
  return Object.entries(environment)
    .filter(
      ([variable, value]) => variable.startsWith('INPUT_') && !known.has(variable) && (value?.trim() ?? '') !== '',
    )
    .map(([variable]) => variable.slice('INPUT_'.length).toLowerCase());
}
