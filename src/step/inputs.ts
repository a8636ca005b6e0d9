import type { Use, Uses, ValuesOf } from '../operations/inputs/input.ts';
import type { Problem } from '../runtime/failure.ts';
import type { Environment } from '../runtime/world.ts';

/** What was read: the values where nothing is wrong, and all that is wrong. */
export interface ReadInputs<Used extends Uses> {
  readonly values: ValuesOf<Used>;
  readonly problems: readonly Problem[];
}

/** The environment variable that takes the place of an input which is not given: `COMPLIANCE_API_TOKEN`. */
export function fallbackVariable(name: string): string {
  return `COMPLIANCE_${name.replaceAll('-', '_').toUpperCase()}`;
}

/**
 * The text of an input: from `with:`, else from its environment fallback. An empty text is no value: it is what an unset
 * variable or secret becomes in a workflow.
 */
export function inputText(environment: Environment, name: string): string | undefined {
  return untrimmedText(environment, name)?.trim();
}

function untrimmedText(environment: Environment, name: string): string | undefined {
  const texts = [environment[runnerVariable(name)], environment[fallbackVariable(name)]];
  return texts.find((text) => text !== undefined && text.trim() !== '');
}

// How the runner hands inputs over.
function runnerVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}

/** Reads and checks inputs, all of them, so that everything that is wrong is reported at once. */
export function readInputs<Used extends Uses>(environment: Environment, uses: Used): ReadInputs<Used> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [key, use] of Object.entries(uses)) {
    const read = readInput(environment, use);
    if ('problem' in read) problems.push(read.problem);
    else values[key] = read.value;
  }
  // Every key of `uses` has its value, or there is a problem and nobody looks at the values.
  return { values: values as ValuesOf<Used>, problems };
}

function readInput(environment: Environment, use: Use<unknown>): { value: unknown } | { problem: Problem } {
  const { name, secret, untrimmed = false } = use.input;
  const text = untrimmed ? untrimmedText(environment, name) : inputText(environment, name);
  if (text === undefined) return use.absent === 'error' ? { problem: missing(name) } : use.absent;
  const parsed = use.input.parse(text);
  if ('value' in parsed) return parsed;
  const got = secret || parsed.complete === true ? '' : `, but is ${JSON.stringify(parsed.part ?? text)}`;
  return { problem: { input: name, what: `\`${name}\` ${parsed.problem}${got}`, remedy: parsed.remedy } };
}

function missing(name: string): Problem {
  return {
    input: name,
    what: `\`${name}\` is required and is missing or empty`,
    remedy: `Give it under \`with:\`, or set ${fallbackVariable(name)} in \`env:\`; an unset variable or secret counts as empty.`,
  };
}

/** The inputs that are given under `with:` and that this operation does not use. */
export function unusedInputs(environment: Environment, used: readonly string[]): readonly string[] {
  const known = new Set(used.map(runnerVariable));
  return Object.entries(environment)
    .filter(
      ([variable, value]) => variable.startsWith('INPUT_') && !known.has(variable) && (value?.trim() ?? '') !== '',
    )
    .map(([variable]) => variable.slice('INPUT_'.length).toLowerCase());
}
