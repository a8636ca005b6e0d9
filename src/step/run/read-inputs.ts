import type { Input, Use, Uses, ValuesOf } from '../../operations/inputs/input.ts';
import type { Problem } from '../../runtime/failure.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';

/** The values of the inputs, complete if there are no problems, and everything wrong with them. */
export interface ReadInputs<Used extends Uses> {
  readonly values: ValuesOf<Used>;
  readonly problems: readonly Problem[];
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
export function inputText(environment: EnvironmentVariables, input: InputName): string | undefined {
  return untrimmedText(environment, input)?.trim();
}

function untrimmedText(environment: EnvironmentVariables, input: InputName): string | undefined {
  return textIn(environment, runnerVariable(input.name)) ?? textIn(environment, usedFallback(environment, input));
}

function textIn(environment: EnvironmentVariables, variable: string | undefined): string | undefined {
  const text = variable === undefined ? undefined : environment[variable];
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** The variable an input is read from; undefined if it is set under `with:`, or not at all. */
export function usedFallback(environment: EnvironmentVariables, input: InputName): string | undefined {
  return input.fallback === true ? variableInsteadOf(environment, input) : undefined;
}

/** The variable that looks like the fallback of an input that has none and is not set under `with:`. */
export function ignoredVariable(environment: EnvironmentVariables, input: InputName): string | undefined {
  return input.fallback === true ? undefined : variableInsteadOf(environment, input);
}

function variableInsteadOf(environment: EnvironmentVariables, { name }: InputName): string | undefined {
  if (textIn(environment, runnerVariable(name)) !== undefined) return undefined;
  const variable = fallbackVariable(name);
  return textIn(environment, variable) === undefined ? undefined : variable;
}

/** Every text given for an input, used or not: a secret must be masked wherever it comes from. */
export function textsOf(environment: EnvironmentVariables, name: string): readonly string[] {
  return [runnerVariable(name), fallbackVariable(name)].flatMap(
    (variable) => textIn(environment, variable)?.trim() ?? [],
  );
}

// The variable in which the runner passes an input.
function runnerVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}

/** Reads and checks all inputs, so that every problem is reported at once. */
export function readInputs<Used extends Uses>(environment: EnvironmentVariables, uses: Used): ReadInputs<Used> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [key, use] of Object.entries(uses)) {
    const read = readInput(environment, use);
    if ('problem' in read) problems.push(read.problem);
    else values[key] = read.value;
  }
  // Every key of `uses` has its value, or there is a problem and the values are not used.
  return { values: values as ValuesOf<Used>, problems };
}

function readInput(environment: EnvironmentVariables, use: Use<unknown>): { value: unknown } | { problem: Problem } {
  const { input } = use;
  const { name, secret, untrimmed = false } = input;
  const text = untrimmed ? untrimmedText(environment, input) : inputText(environment, input);
  if (text === undefined) return use.absent === 'error' ? { problem: missing(environment, input) } : use.absent;
  const parsed = input.parse(text);
  if ('value' in parsed) return parsed;
  const got = secret || parsed.complete === true ? '' : `, but is ${JSON.stringify(parsed.part ?? text)}`;
  const variable = usedFallback(environment, input);
  const source = variable === undefined ? '' : ` (from ${variable})`;
  return { problem: { input: name, what: `\`${name}\` ${parsed.problem}${got}${source}`, remedy: parsed.remedy } };
}

function missing(environment: EnvironmentVariables, input: InputName): Problem {
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
  const variable = ignoredVariable(environment, input);
  if (variable === undefined) return { input: name, what, remedy: `Set it under \`with:\`; ${empty}.` };
  const remedy = `${variable} is not read. To use its value, write \`${name}: \${{ env.${variable} }}\` under \`with:\`.`;
  return { input: name, what, remedy };
}

/** The names of the inputs that are set under `with:` but not among those used. */
export function unusedInputs(environment: EnvironmentVariables, used: readonly string[]): readonly string[] {
  const known = new Set(used.map(runnerVariable));
  return Object.entries(environment)
    .filter(
      ([variable, value]) => variable.startsWith('INPUT_') && !known.has(variable) && (value?.trim() ?? '') !== '',
    )
    .map(([variable]) => variable.slice('INPUT_'.length).toLowerCase());
}
