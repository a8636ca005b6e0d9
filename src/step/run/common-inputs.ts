import { apiToken, connectionInputs } from '../../operations/inputs/connection-inputs.ts';
import { commitSha, githubToken } from '../../operations/inputs/evidence-inputs.ts';
import { type Input, optional, required, type ValuesOf, withDefault } from '../../operations/inputs/input.ts';
import { flag, minimumSecretLength, oneOf } from '../../operations/inputs/input-types.ts';
import { commitStatus, knownCheckpoint, matrix } from '../../operations/inputs/step-inputs.ts';
import { allOperationNames, type AnyOperationName } from '../../operations/operation-names.ts';
import type { Problem } from '../../runtime/failure.ts';
import { findSimilarWord } from '../../runtime/similar-word.ts';
import { givenTexts, type InputSource, inputText, readInputs, runnerVariable } from './read-inputs.ts';

/** The inputs that hold keys and tokens, which are masked. */
export const secretInputs = ['api-token', 'sonar-token', 'github-token', 'jira-api-token'] as const;

const operationName: Input<AnyOperationName> = {
  name: 'operation',
  parse(value) {
    const found = allOperationNames.find((name) => name === value);
    if (found !== undefined) return { value: found };
    const meant = findSimilarWord(value, allOperationNames);
    const suggestion = meant === undefined ? '' : `Did you mean \`${meant}\`? `;
    const names = allOperationNames.map((name) => `\`${name}\``).join(', ');
    return { problem: 'must be the name of an operation', remedy: `${suggestion}The operations are ${names}.` };
  },
};

/** The inputs of every operation. */
const commonInputs = {
  ...connectionInputs,
  onNonCompliant: optional(oneOf('on-non-compliant', ['fail', 'warn', 'ignore'])),
  knownCheckpoint: optional(knownCheckpoint),
  /** What the step does if `api-token` is missing or empty, as in pull requests from forks. */
  onMissingToken: withDefault(oneOf('on-missing-token', ['fail', 'skip']), 'fail'),
  summary: optional(flag('summary')),
  pullRequestComment: optional(flag('pull-request-comment')),
  commitStatus: optional(commitStatus),
} as const;

/** More inputs for publishing. `github-token` is always set, because it has a default in action.yml. */
const publicationInputs = { githubToken: optional(githubToken), commitSha: optional(commitSha) } as const;

/** The inputs of every step, whatever its operation. */
export const commonDeclared: readonly Input<unknown>[] = [
  operationName,
  githubToken,
  matrix,
  ...Object.values(commonInputs).map(({ input }) => input),
];

/**
 * The names of the inputs of every step. `github-token` and `matrix` are among them because action.yml gives both a
 * default, so they never count as unused.
 */
export const commonNames = commonDeclared.map(({ name }) => name);

export type CommonValues = ValuesOf<typeof commonInputs>;

/**
 * The inputs that decide where the result is published, as far as they are well-formed. A malformed one is reported
 * with the other problems, and that report is published as the well-formed ones say.
 */
export type PublicationSettings = Partial<
  Pick<CommonValues, 'pullRequestComment' | 'commitStatus' | 'dryRun'> & ValuesOf<typeof publicationInputs>
>;

/** The inputs common to all operations, read once when the step starts. */
export interface CommonInputs {
  /** Undefined if missing or unknown, which is among the problems. */
  readonly operation: AnyOperationName | undefined;
  /** Complete if there are no problems. */
  readonly common: CommonValues;
  /** Everything wrong with them. */
  readonly problems: readonly Problem[];
  /** Whether there is no `api-token`. */
  readonly isTokenMissing: boolean;
  /** Whether to write a job summary. True if `summary` is malformed, so that the problem is shown there, too. */
  readonly summary: boolean;
  readonly publication: PublicationSettings;
}

/** Reads the inputs of all operations. Problems are returned, as these inputs say how to report them. */
export function readCommonInputs(source: InputSource): CommonInputs {
  const chosen = readInputs(source, { operation: required(operationName) });
  const common = readInputs(source, commonInputs);
  const { pullRequestComment, commitStatus, dryRun, summary }: Partial<CommonValues> = common.values;
  return {
    operation: chosen.problems.length === 0 ? chosen.values.operation : undefined,
    common: common.values,
    problems: [...givenOperationProblems(source), ...chosen.problems, ...common.problems],
    isTokenMissing: inputText(source, apiToken) === undefined,
    summary: summary ?? true,
    publication: { pullRequestComment, commitStatus, dryRun, ...readInputs(source, publicationInputs).values },
  };
}

/** An `operation` for an action that has only one. */
function givenOperationProblems({ fixedOperation, environment }: InputSource): readonly Problem[] {
  const given = environment[runnerVariable(operationName.name)]?.trim() ?? '';
  if (fixedOperation === undefined || given === '') return [];
  return [
    {
      input: operationName.name,
      what: `\`operation\` is not an input of this action, which always runs ${fixedOperation}`,
      remedy: 'Remove it, or use OWNER/compliance-action, the action with all operations.',
    },
  ];
}

/** All keys and tokens of the step, used or not. Those that are too short to be masked are refused, or not used. */
export function secretTexts(source: InputSource): readonly string[] {
  return secretInputs.flatMap((name) => givenTexts(source, name)).filter(({ length }) => length >= minimumSecretLength);
}

/** Whether the result is to be published on GitHub. */
export function isPublished({ pullRequestComment, commitStatus }: PublicationSettings): boolean {
  return pullRequestComment === true || commitStatus !== undefined;
}
