import { onOutage } from '../../operations/inputs/delivery-inputs.ts';
import { commitSha } from '../../operations/inputs/evidence-inputs.ts';
import type { Uses, ValuesOf } from '../../operations/inputs/input.ts';
import { wait } from '../../operations/inputs/step-inputs.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Problem } from '../../runtime/failure.ts';
import { commonDeclared, isPublished, type PublicationSettings } from './common-inputs.ts';
import { ignoredVariable, type InputSource, inputText, readInputs, unusedInputs, usedFallback } from './read-inputs.ts';

/** The operation's own inputs, read once, and where the step's inputs came from. */
export interface OperationInputs {
  /** Complete if there are no problems. */
  readonly values: ValuesOf<Uses>;
  /** Everything wrong with them. */
  readonly problems: readonly Problem[];
  /** Whether the operation may wait for a verdict (`wait`). */
  readonly waits: boolean;
  /** The inputs that were read from environment variables. */
  readonly fromVariables: readonly { readonly name: string; readonly variable: string }[];
  /** Variables that are set and look like the fallback of an input that has none. */
  readonly ignoredVariables: readonly string[];
  /** The names of inputs that were given but are neither used nor refused. */
  readonly unused: readonly string[];
}

/** A rule between inputs reads one that has a problem of its own. */
class UnknownValue extends Error {}

/** Reads the operation's own inputs. Problems are returned, so that all of them can be reported together. */
export function readOperationInputs(
  operation: Operation,
  publication: PublicationSettings,
  source: InputSource,
): OperationInputs {
  const { values, problems } = readInputs(source, operation.inputs);
  const declared = [
    ...commonDeclared,
    ...Object.values(operation.inputs).map(({ input }) => input),
    ...(isPublished(publication) ? [commitSha] : []),
  ];
  return {
    values,
    problems: [
      ...problems,
      ...problemsBetween(operation, values),
      ...unsupportedInputs(operation, source),
      ...outageProblems(operation, source),
    ],
    waits: isPositive(valueNamed(wait.name, operation, values)),
    fromVariables: declared.flatMap((input) => {
      const variable = usedFallback(source, input);
      return variable === undefined ? [] : [{ name: input.name, variable }];
    }),
    ignoredVariables: declared.flatMap((input) => ignoredVariable(source, input) ?? []),
    unused: unusedInputs(
      source,
      [...declared, ...(operation.unsupported ?? [])].map(({ name }) => name),
    ),
  };
}

/**
 * Checks the inputs against each other, unless the rules need one that has a problem of its own.
 *
 * @param values without those that have problems
 */
function problemsBetween(operation: Operation, values: ValuesOf<Uses>): readonly Problem[] {
  const known = new Proxy(values, {
    get(target, key) {
      if (!Object.hasOwn(target, key)) throw new UnknownValue();
      return target[String(key)];
    },
  });
  try {
    return operation.check?.(known) ?? [];
  } catch (thrown) {
    if (thrown instanceof UnknownValue) return [];
    throw thrown;
  }
}

function valueNamed(name: string, { inputs }: Operation, values: ValuesOf<Uses>): unknown {
  const [key] = Object.entries(inputs).find(([, { input }]) => input.name === name) ?? [];
  return key === undefined ? undefined : values[key];
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

function unsupportedInputs({ unsupported = [] }: Operation, source: InputSource): readonly Problem[] {
  return unsupported
    .filter((input) => inputText(source, input) !== undefined)
    .map(({ name, what, remedy }) => ({ input: name, what: `\`${name}\` ${what}`, remedy }));
}

/** Whether the operation records evidence, which can be kept during an outage. */
export function recordsEvidence({ inputs }: Operation): boolean {
  return Object.values(inputs).some(({ input }) => input.name === onOutage.name);
}

/** `on-outage` for an operation that records no evidence; such an operation always behaves like `fail`. */
function outageProblems(operation: Operation, source: InputSource): readonly Problem[] {
  const { name } = operation;
  const given = inputText(source, onOutage);
  if (recordsEvidence(operation) || given === undefined || given === 'fail') return [];
  return [
    {
      input: onOutage.name,
      what: `\`${onOutage.name}: ${given}\` is not possible with ${name}: only evidence can be kept and delivered later, and a look-up or a gate that got no answer has no verdict`,
      remedy: `Remove \`${onOutage.name}\`; to wait longer for the service, set \`retry-for\`.`,
    },
  ];
}
