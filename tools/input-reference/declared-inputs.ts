import { connectionInputs } from '../../src/operations/inputs/connection-inputs.ts';
import type { Input, Use } from '../../src/operations/inputs/input.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { allOperationNames } from '../../src/operations/operation-names.ts';
import { operations } from '../../src/operations/registry.ts';
import { commonDeclared } from '../../src/step/run/common-inputs.ts';
import { fallbackVariable } from '../../src/step/run/read-inputs.ts';

/** How one operation, or every step, uses an input. */
interface DeclaredUse {
  /** `all` for the inputs of every step. */
  readonly user: Operation['name'] | 'all';
  readonly isRequired: boolean;
  /** The default of the code, as a workflow author would type it. */
  readonly default?: string;
  /** What the error about a malformed value says: `must be …`; absent if every text is well-formed. */
  readonly rule?: string;
}

/** What the code declares about an input. */
export interface DeclaredInput {
  /** The environment variable that can replace it. */
  readonly variable?: string;
  readonly uses: readonly DeclaredUse[];
}

/** What the code declares about each input, by its name. */
export async function declaredInputs(): Promise<ReadonlyMap<string, DeclaredInput>> {
  const found = new Map<string, DeclaredInput>();
  for (const { user, input, use } of [...commonUses(), ...(await operationUses())]) {
    const uses = found.get(input.name)?.uses ?? [];
    // The common inputs come first. Operations that use one as well have nothing to add.
    if (uses.some((other) => other.user === 'all')) continue;
    found.set(input.name, {
      ...(input.fallback === true && { variable: fallbackVariable(input.name) }),
      uses: [...uses, declaredUse(user, input, use)],
    });
  }
  return found;
}

interface InputUse {
  readonly user: Operation['name'] | 'all';
  readonly input: Input<unknown>;
  /** Absent if the step itself decides what a missing value means. */
  readonly use?: Use<unknown>;
}

function commonUses(): readonly InputUse[] {
  const connection: readonly Use<unknown>[] = Object.values(connectionInputs);
  return commonDeclared.map((input) => {
    const use = connection.find((candidate) => candidate.input === input);
    return { user: 'all', input, ...(use !== undefined && { use }) };
  });
}

async function operationUses(): Promise<readonly InputUse[]> {
  const loaded = await Promise.all(allOperationNames.map((name) => operations[name]()));
  return loaded.flatMap(({ name, inputs }) =>
    Object.values(inputs).map((use) => ({ user: name, input: use.input, use })),
  );
}

function declaredUse(
  user: Operation['name'] | 'all',
  input: Input<unknown>,
  use: Use<unknown> | undefined,
): DeclaredUse {
  const rule = ruleOf(input);
  const fallback = use === undefined || use.absent === 'error' ? undefined : defaultText(use.absent.value);
  return {
    user,
    isRequired: use?.absent === 'error' || input.name === 'operation',
    ...(fallback !== undefined && { default: fallback }),
    ...(rule !== undefined && { rule }),
  };
}

function defaultText(value: unknown): string | undefined {
  const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isText ? String(value) : undefined;
}

/** Values that inputs refuse: a control character, and a text that is too long for every input with a limit. */
const malformed = ['\u0000', 'x'.repeat(100_000)];

/** The rule is read off the error about a malformed value, so that it is stated once, in the code. */
function ruleOf(input: Input<unknown>): string | undefined {
  for (const text of malformed) {
    const parsed = input.parse(text);
    // What follows is about this value.
    if ('problem' in parsed) return parsed.problem.replace(/: it does not .*$/u, '');
  }
  return undefined;
}
